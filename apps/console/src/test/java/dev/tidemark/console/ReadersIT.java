package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;

/**
 * Every page serves every reader: on a phone and on a wall screen, in the light and in the dark, with a keyboard alone and
 * without eyes. Measures are those of WCAG 2.2, level AA. Skipped where there is no browser.
 */
class ReadersIT {

    private static final List<String> THEMES = List.of("light", "dark");
    private static final int PHONE_HEIGHT = 740;
    private static final int SMALLEST_TEXT = 12;
    private static final int LONGEST_LINE = 130;
    private static final double MOST_OF_THE_WIDTH = 0.7;
    /** A screen of 1.2 m then has digits of 17 mm, which are read from three metres. */
    private static final int ANSWERS_IN_A_WIDTH = 50;

    private static final int TEXTS_IN_A_WIDTH = 200;

    @TempDir
    private static Path directory;

    private static EmbeddedDatabase database;
    private static ConsoleServer console;
    private static AnsweringApp app;
    private static Browser browser;
    private static String script;

    /** The pages with something on them, and what is their answer. */
    enum Page {
        TOTALS("/?pipeline=sales", "#newest-total"),
        TOTALS_OF_A_KEY("/?pipeline=refunds&key=S001", "#newest-total"),
        WINDOW("/window?pipeline=visits&key=door&start=2026-07-01T00:00:00Z", ".figure-big data"),
        EVENT("/event?id=S004-old", "#answer h2 .badge"),
        EVENT_OF_A_PAIR("/event?id=O19", "#answer h2 .badge"),
        LEDGER("/ledger?pipeline=sales", ".hero .verdict"),
        LEDGER_WITH_BREAKS("/ledger?pipeline=refunds", ".hero .verdict"),
        LEDGER_OF_COUNTS("/ledger?pipeline=visits", ".hero .verdict"),
        GRACE("/grace?pipeline=sales", "#late-events data"),
        PAIRS("/pairs", "#answer .figure-big"),
        PROFILE("/profile?key=G7", "#answer .facts-big data"),
        MAY_BE_PUBLISHED("/publish?pipeline=sales&day=2026-07-01", "#yes-no"),
        MAY_NOT_BE_PUBLISHED("/publish?pipeline=refunds&day=2026-07-01", "#yes-no"),
        HEALTH("/health", "#well");

        private final String path;
        private final String answer;

        Page(String path, String answer) {
            this.path = path;
            this.answer = answer;
        }
    }

    @BeforeAll
    static void start() throws Exception {
        Browser.assumeIsThere();
        try (var in = ReadersIT.class.getResourceAsStream("/readers.js")) {
            script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        database = EmbeddedDatabase.start(directory.resolve("postgres"), 0);
        database.migrate();
        ConsoleServer.fill(database);
        ConsoleServer.fill(database, "/counts.sql");
        ConsoleServer.fill(database, "/readers.sql");
        app = new AnsweringApp(
                Map.of(
                        "/actuator/health",
                        "{\"status\":\"UP\",\"components\":{\"streams\":{\"status\":\"UP\",\"details\":{\"state\":\"RUNNING\"}}}}",
                        "/actuator/prometheus",
                        "kafka_consumer_fetch_manager_records_lag{partition=\"0\",topic=\"sales\"} 1234567.0\n",
                        "/actuator/topology",
                        "{\"description\":\"   Sub-topology: 0\\n    Source: read-sales (topics: [sales])\\n      --> sum-amounts\\n"
                                + "    Processor: sum-amounts (stores: [totals-by-window])\\n      --> write-totals\\n"
                                + "      <-- read-sales\\n    Sink: write-totals (topic: sales-totals)\\n      <-- sum-amounts\"}"));
        // What changes while it is measured would be measured twice.
        console = ConsoleServer.start(
                database,
                "tidemark.console.refresh=1h",
                "tidemark.console.budgets.sales=100000",
                "tidemark.console.apps[0].name=totals",
                "tidemark.console.apps[0].url=" + app.url("/actuator"),
                "tidemark.console.apps[1].name=gone",
                "tidemark.console.apps[1].url=http://127.0.0.1:9/actuator");
        browser = Browser.start(console.url(""));
        browser.open("/event");
        await().until(() -> browser.driver().manage().getCookieNamed("zone") != null);
    }

    @AfterAll
    static void stop() throws Exception {
        for (AutoCloseable part : new AutoCloseable[] {browser, console, app, database}) {
            if (part != null) {
                part.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPhoneShowsTheAnswerFirstAndNothingBesideTheScreen(Page page) throws IOException {
        for (String language : List.of("en", "ja")) {
            String theme = language.equals("en") ? "light" : "dark";
            open(page, theme, language, 360, PHONE_HEIGHT);
            browser.keep(name(page, "phone-" + theme));
            assertThat(ask("belowTheFirstScreen", page.answer)).isEmpty();
            ask("unfold");
            for (int width : List.of(360, 320)) {
                browser.showOn(width, PHONE_HEIGHT);
                assertThat(ask("tooWide", width)).isEmpty();
                assertThat(ask("smallTexts", SMALLEST_TEXT)).isEmpty();
                assertThat(ask("smallTargets")).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWallScreenIsUsedAndReadFromAfar(Page page) throws IOException {
        for (int width : List.of(2560, 3840)) {
            if (width == 2560) {
                open(page, "dark", "en", width, width * 9 / 16);
                browser.keep(name(page, "wall"));
            } else {
                browser.showOn(width, width * 9 / 16);
            }
            assertThat(ask("smallAnswer", page.answer, width / ANSWERS_IN_A_WIDTH))
                    .isEmpty();
            assertThat(ask("belowTheFirstScreen", page.answer)).isEmpty();
            assertThat(ask("unusedRoom", MOST_OF_THE_WIDTH)).isEmpty();
            ask("unfold");
            assertThat(ask("tooWide", width)).isEmpty();
            assertThat(ask("smallTexts", width / TEXTS_IN_A_WIDTH)).isEmpty();
            assertThat(ask("longLines", LONGEST_LINE)).isEmpty();
        }
    }

    /** 4.5 : 1 for texts and 3 : 1 for large ones (1.4.3), 3 : 1 for the bounds of controls and for pictures (1.4.11). */
    @ParameterizedTest
    @EnumSource
    void everyTextAndEveryMarkStandsOutFromWhatIsBehindIt(Page page) throws IOException {
        for (String theme : THEMES) {
            open(page, theme, "en", 1280, 800);
            browser.keep(name(page, "desk-" + theme));
            ask("unfold");
            List<Object> texts = answers("faintTexts");
            assertThat((Long) texts.get(0)).isGreaterThan(20);
            assertThat(texts.subList(1, texts.size())).as(theme).isEmpty();
            List<Object> marks = answers("faintMarks");
            assertThat((Long) marks.get(0)).isPositive();
            assertThat(marks.subList(1, marks.size())).as(theme).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theTabKeyReachesEverythingInOrderAndShowsWhereItIs(Page page) {
        for (int width : List.of(1280, 360)) {
            open(page, "light", "en", width, PHONE_HEIGHT);
            ask("watchFocus");
            // A date takes up to six, and the last one leads out of the page and back in.
            int tabs = (int) (long) question("tabbable") + 8;
            for (int pressed = 0; pressed < 4 * tabs && !(Boolean) question("cameRound"); pressed += tabs) {
                new Actions(browser.driver())
                        .sendKeys(Keys.TAB.toString().repeat(tabs))
                        .perform();
            }
            assertThat(ask("faultsOfFocus")).as("at a width of %s", width).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theFirstTabLeadsPastTheNavigation(Page page) {
        open(page, "light", "en", 1280, 800);
        press(Keys.TAB);
        assertThat(focused("className")).isEqualTo("skip");
        assertThat(ask("belowTheFirstScreen", ".skip")).isEmpty();

        press(Keys.ENTER);
        assertThat(focused("id")).isEqualTo("content");
        press(Keys.TAB);
        assertThat(browser.driver()
                        .<Object>executeScript(
                                "return document.getElementById('content').contains(document.activeElement)"))
                .isEqualTo(true);
    }

    /** What the browser tells a screen reader. */
    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("unchecked")
    void everyControlHasANameAndEveryPictureHasWords(Page page) {
        open(page, "light", "en", 1280, 800);
        ask("unfold");
        var nodes = (List<Map<String, Object>>) browser.driver()
                .executeCdpCommand("Accessibility.getFullAXTree", Map.of())
                .get("nodes");
        Set<String> controls = Set.of(
                "button",
                "checkbox",
                "combobox",
                "Date",
                "DateTime",
                "DisclosureTriangle",
                "link",
                "searchbox",
                "slider",
                "spinbutton",
                "textbox",
                "region",
                "navigation",
                "image",
                "img",
                "figure");
        List<String> named = new ArrayList<>();
        List<Object> nameless = new ArrayList<>();
        for (Map<String, Object> node : nodes) {
            String role = value(node, "role");
            if (!(Boolean) node.get("ignored") && controls.contains(role)) {
                if (value(node, "name").isBlank()) {
                    nameless.add(node);
                } else {
                    named.add(role);
                }
            }
        }

        assertThat(nameless).isEmpty();
        assertThat(named).contains("link", "button", "navigation", "region");
        assertThat(ask("picturesWithoutWords")).isEmpty();
    }

    private static String value(Map<String, Object> node, String property) {
        return node.get(property) instanceof Map<?, ?> map ? String.valueOf(map.get("value")) : "";
    }

    private static void press(Keys key) {
        new Actions(browser.driver()).sendKeys(key).perform();
    }

    private static Object focused(String property) {
        return browser.driver().executeScript("return document.activeElement[arguments[0]]", property);
    }

    private static void open(Page page, String theme, String language, int width, int height) {
        browser.showOn(width, height);
        browser.chooseTheme(theme);
        browser.driver().manage().addCookie(new Cookie("language", language));
        browser.open(page.path);
        assertThat(browser.driver().findElement(By.tagName("h1")).getText()).isNotBlank();
        assertThat(ask("layout")).isEmpty();
        assertThat(browser.texts(".plot canvas")).hasSameSizeAs(browser.texts("[data-chart]"));
    }

    private static String name(Page page, String screen) {
        return page.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + screen;
    }

    private static List<Object> ask(String question, Object... details) {
        Object answer = question(question, details);
        return answer == null ? List.of() : list(answer);
    }

    private static List<Object> answers(String question) {
        return list(question(question));
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object answer) {
        return (List<Object>) answer;
    }

    private static Object question(String question, Object... details) {
        return browser.driver()
                .executeScript(
                        script,
                        Stream.concat(Stream.of(question), Stream.of(details)).toArray());
    }
}
