package dev.tidemark.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A browser without a screen, which looks at the pages of one console. Screenshots are kept in {@code target}. */
public final class Browser implements AutoCloseable {

    private static final Path SCREENSHOTS = Path.of("target", "screenshots");
    /** Screens that are narrower are those of phones. */
    private static final int PHONE = 600;

    private final ChromeDriver driver;
    private final String console;

    private Browser(ChromeDriver driver, String console) {
        this.driver = driver;
        this.console = console;
    }

    /** Skips the test, with a message, where chromium and chromedriver are not on the path. */
    public static void assumeIsThere() {
        Assumptions.assumeTrue(
                chromium().isPresent() && chromedriver().isPresent(),
                "There is no chromium with chromedriver on the path; install them to run the browser test.");
    }

    /** @param console where the console answers, without a path */
    public static Browser start(String console) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium().orElseThrow().toString());
        options.addArguments(
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.WARNING);
        options.setCapability("goog:loggingPrefs", logs);
        return new Browser(
                new ChromeDriver(
                        new ChromeDriverService.Builder()
                                .usingDriverExecutable(
                                        chromedriver().orElseThrow().toFile())
                                .usingAnyFreePort()
                                .build(),
                        options),
                console);
    }

    /** What no method here is for. */
    public ChromeDriver driver() {
        return driver;
    }

    public void open(String path) {
        driver.get(console + path);
    }

    public void chooseTheme(String theme) {
        driver.manage().addCookie(new Cookie("theme", theme));
    }

    /** Shows pages on a screen of so many CSS pixels; one of a phone may be narrower than any window. */
    public void showOn(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < PHONE));
    }

    /** Keeps what is to be seen as {@code target/screenshots/<name>.png}. */
    public void keep(String name) throws IOException {
        Files.createDirectories(SCREENSHOTS);
        Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
    }

    /** The attribute {@code value} of all elements that a selector finds. */
    public List<String> values(String selector) {
        return attributes(selector, "value");
    }

    /** All at one moment, because the page may change between two questions. */
    @SuppressWarnings("unchecked")
    public List<String> attributes(String selector, String name) {
        return (List<String>) driver.executeScript(
                "return [...document.querySelectorAll(arguments[0])].map(one => one.getAttribute(arguments[1]))",
                selector,
                name);
    }

    /** The texts of all elements that a selector finds, at one moment. */
    @SuppressWarnings("unchecked")
    public List<String> texts(String selector) {
        return (List<String>) driver.executeScript(
                "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)", selector);
    }

    /** What the browser itself objected to: errors of scripts, and anything that the policy does not allow. */
    public List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        driver.manage().logs().get(LogType.BROWSER).forEach(entry -> complaints.add(entry.getMessage()));
        return complaints;
    }

    @Override
    public void close() {
        driver.quit();
    }

    private static Optional<Path> chromium() {
        return onPath("chromium", "chromium-browser", "google-chrome");
    }

    private static Optional<Path> chromedriver() {
        return onPath("chromedriver");
    }

    private static Optional<Path> onPath(String... names) {
        return Stream.of(names)
                .flatMap(name -> Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
                        .map(directory -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
