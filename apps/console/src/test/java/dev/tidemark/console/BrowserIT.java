package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What people see: goes through all pages in a real browser, reads the numbers and compares them with the database. Keeps
 * screenshots. Skipped where there is no browser.
 */
class BrowserIT {

    private static final Dimension WALL = new Dimension(1440, 1000);
    private static final Dimension PHONE = new Dimension(500, 900);

    @TempDir
    private static Path directory;

    private static EmbeddedDatabase database;
    private static ConsoleServer console;
    private static AnsweringApp app;
    private static Browser browser;
    private static JdbcClient sql;

    @BeforeAll
    static void start() throws Exception {
        Browser.assumeIsThere();
        database = EmbeddedDatabase.start(directory.resolve("postgres"), 0);
        database.migrate();
        ConsoleServer.fill(database);
        sql = JdbcClient.create(database.dataSource());
        app = new AnsweringApp(Map.of(
                "/events?id=found",
                "{\"since\":\"2026-06-29T00:00:00Z\",\"problems\":[],\"found\":[{\"pipeline\":\"sales\",\"subject\":\"totals\","
                        + "\"topic\":\"sales\",\"partition\":1,\"offset\":7,\"key\":\"S001\",\"event_time\":"
                        + "\"2026-07-02T10:00:00Z\",\"arrival_time\":\"2026-07-02T10:00:01Z\",\"amount\":1234.50,"
                        + "\"settled\":true,\"windows\":[{\"start\":\"2026-07-02T10:00:00Z\"}]}]}"));
        console = ConsoleServer.start(
                database,
                "tidemark.console.refresh=1s",
                "tidemark.console.language=en",
                "tidemark.console.events=" + app.url("/events"));
        browser = Browser.start(console.url(""));
        // The first page that a browser sees tells its zone and is then loaded anew.
        browser.open("/event");
        await().until(() -> browser.driver().manage().getCookieNamed("zone") != null);
    }

    @AfterAll
    static void stop() {
        Stream.of(browser, console, app, database).filter(part -> part != null).forEach(part -> {
            try {
                part.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void everyPageIsDrawnOnAPhoneAndOnAWallWithoutComplaints(Question question) throws IOException {
        String path = question.path() + (question == Question.EVENT ? "?id=O19" : "");
        draw(question, path, WALL, "light");
        draw(question, path, PHONE, "dark");
        assertThat(browser.complaints()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void everyFieldHasAName(Question question) {
        browser.open(question.path());

        List<WebElement> fields = browser.driver()
                .findElements(By.cssSelector(
                        "form input:not([type=hidden]), select, button, nav, section, svg[role], tbody tr:first-child"
                                + " a, .scroll"));
        for (WebElement field : fields) {
            if (field.isDisplayed()) {
                assertThat(field.getAccessibleName()).as(field.toString()).isNotBlank();
            }
        }
    }

    @Test
    void theThemeIsWhatTheReaderChose() {
        for (String theme : new String[] {"dark", "light"}) {
            browser.open("/event");
            browser.driver()
                    .findElement(By.cssSelector("button[name=theme][value=" + theme + "]"))
                    .click();
            await().untilAsserted(() ->
                    assertThat(browser.attributes("html", "data-theme")).containsExactly(theme));
        }
    }

    /** The page is there before the input has been read, asks for that by itself, and keeps it while it asks for what is new. */
    @Test
    void whatTheInputHasIsShownWhenItHasBeenRead() {
        browser.open("/event?id=found");
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(browser.texts("#in-input .badge"))
                .containsExactly("counted"));
        WebElement found = browser.driver().findElement(By.cssSelector("#in-input article"));
        assertThat(found.getText()).contains("version 1", "1,234.50", "sales-1@7");

        sql.sql("insert into exceptions (pipeline, source_topic, source_partition, source_offset, event_id, key,"
                        + " event_time, arrival_time, amount, disposition, reason) values ('sales', 'sales', 0, 900009,"
                        + " 'found', 'S001', '2026-07-02Z', '2026-07-02Z', 1, 'duplicate', 'new')")
                .update();
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(browser.texts("#answer .badge"))
                .containsExactly("duplicate", "counted"));
        assertThat(found.getText()).contains("1,234.50");
    }

    @Test
    void theTotalsAreThoseOfTheDatabase() {
        browser.open("/?pipeline=sales");
        List<String> keys = browser.texts("tbody th.key");
        List<String> totals = browser.values("tbody td.strong data");
        List<String> statuses = browser.texts("tbody .badge span:last-child");
        List<String> versions = browser.texts("tbody td.number");

        assertThat(IntStream.range(0, keys.size())
                        .mapToObj(row ->
                                String.join("|", keys.get(row), totals.get(row), statuses.get(row), versions.get(row)))
                        .toList())
                .hasSize(50)
                .isEqualTo(
                        sql.sql("select distinct on (window_start, key) key || '|' || total || '|' || status || '|' ||"
                                        + " version from totals where pipeline = 'sales' order by window_start desc, key, version"
                                        + " desc limit 50")
                                .query(String.class)
                                .list());
        assertThat(browser.driver().findElements(By.cssSelector(".plot canvas")))
                .hasSize(1);
    }

    @Test
    void theSliderShowsAWindowAsItWas() {
        var window = sql.sql("select key, to_char(window_start at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') as"
                        + " start from totals where version = 3 order by window_start, key limit 1")
                .query()
                .singleRow();
        browser.open("/window?pipeline=sales&key=" + window.get("key") + "&start=" + window.get("start"));
        BigDecimal last = new BigDecimal(
                browser.driver().findElement(By.cssSelector(".figure-big data")).getDomAttribute("value"));

        browser.driver().findElement(By.name("version")).sendKeys(Keys.ARROW_LEFT);

        await().untilAsserted(() -> assertThat(new BigDecimal(browser.driver()
                        .findElement(By.cssSelector(".figure-big data"))
                        .getDomAttribute("value")))
                .isEqualByComparingTo(last.subtract(new BigDecimal("12.50"))));
        assertThat(browser.driver().getCurrentUrl()).contains("version=2");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void theLedgerTheGraceThePairsAndTheDayAreThoseOfTheDatabase() {
        browser.open("/ledger?pipeline=sales");
        assertThat(browser.values(".flow-right tbody td.strong data"))
                .isEqualTo(sql.sql("select unnest(array[sum(counted), sum(partly_late), sum(late), sum(too_late),"
                                + " sum(duplicate), sum(conflicting), sum(future), sum(malformed),"
                                + " sum(out_of_range), sum(held)])::text from ledger where pipeline = 'sales'")
                        .query(String.class)
                        .list());

        browser.open("/grace?pipeline=sales");
        browser.driver().findElement(By.name("step")).sendKeys(Keys.ARROW_RIGHT);
        String late = sql.sql(
                        "select late_events::text from grace_what_if where pipeline = 'sales' and grace = '7 min'")
                .query(String.class)
                .single();
        await().untilAsserted(
                        () -> assertThat(browser.values("#late-events data")).containsExactly(late));
        assertThat(browser.driver().findElement(By.id("step")).getDomAttribute("aria-valuetext"))
                .isEqualTo("7 min");

        browser.open("/pairs");
        assertThat(Long.parseLong(browser.values("#matched data").get(0))).isPositive();

        browser.open("/publish?pipeline=sales&day=2026-07-01");
        assertThat(browser.driver().findElement(By.id("yes-no")).getText()).contains("Yes");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aNewTotalAppearsByItselfAndTheRestStaysUntouched() {
        browser.open("/?pipeline=sales&key=S001");
        WebElement search = browser.driver().findElement(By.name("key"));
        search.sendKeys(Keys.END);
        WebElement old =
                browser.driver().findElements(By.cssSelector("tbody tr")).get(1);

        sql.sql("insert into totals (pipeline, key, window_start, window_end, version, status, total, count,"
                        + " settings) values ('sales', 'S001', '2026-07-02 18:00Z', '2026-07-02 18:10Z', 0,"
                        + " 'provisional', 77.77, 3, '1')")
                .update();
        try {
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(
                            browser.values("tbody td.strong data").get(0))
                    .isEqualTo("77.77"));
            // A row that was replaced would be stale, and the field that was typed in would have lost the focus.
            assertThat(old.isDisplayed()).isTrue();
            assertThat(browser.driver().switchTo().activeElement()).isEqualTo(search);
        } finally {
            sql.sql("delete from totals where total = 77.77").update();
        }
    }

    @Test
    void thePageSaysWhenTheDatabaseIsAwayAndGoesOnByItself() {
        browser.open("/ledger?pipeline=sales");
        database.stop();
        try {
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(
                            browser.driver().findElement(By.id("live")).getText())
                    .contains("PostgreSQL does not answer"));
        } finally {
            database.restart();
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(
                        browser.driver().findElement(By.id("live")).getText())
                .contains("It adds up"));
        browser.complaints();
    }

    private static void draw(Question question, String path, Dimension size, String theme) throws IOException {
        browser.driver().manage().window().setSize(size);
        browser.open("/event");
        browser.chooseTheme(theme);
        browser.open(path);

        assertThat(browser.driver().findElement(By.tagName("h1")).getText()).isNotBlank();
        assertThat(browser.driver()
                        .<Object>executeScript(
                                "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
                .as("%s fits %s", question, size)
                .isEqualTo(true);
        browser.keep("%s-%s".formatted(question.name().toLowerCase(Locale.ROOT), theme));
    }
}
