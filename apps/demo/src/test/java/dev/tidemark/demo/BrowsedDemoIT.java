package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.console.Browser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What a newcomer sees: the simulated cafés, started as the README says, in a process of their own, and each page of the
 * console with the numbers of the demo's database, while events come. Skipped where there is no browser.
 */
@Timeout(900)
class BrowsedDemoIT {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern CONSOLE = Pattern.compile("open (http://127\\.0\\.0\\.1:\\d+)");
    private static final Pattern DATABASE =
            Pattern.compile("psql (postgresql://(\\w+):(\\w+)@127\\.0\\.0\\.1:(\\d+)/(\\w+))");

    /** As pages write it. */
    private static final String STEP =
            "to_char(date_bin('10 min', event_time, 'epoch') at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";

    @TempDir
    private static Path directory;

    private static Path output;
    private static Process demo;
    private static Browser browser;
    private static JdbcClient sql;

    @BeforeAll
    static void start() throws IOException {
        Browser.assumeIsThere();
        output = directory.resolve("output");
        demo = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:MaxDirectMemorySize=128m",
                        "-Djava.io.tmpdir=" + directory,
                        "-Dot.epg.working-dir=" + Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg"),
                        "-Ddemo.console-port=0",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DemoApplication.class.getName())
                .directory(Path.of("..", "..").toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        Matcher database = said(DATABASE);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + database.group(4) + "/" + database.group(5));
        source.setUser(database.group(2));
        source.setPassword(database.group(3));
        sql = JdbcClient.create(source);
        browser = Browser.start(said(CONSOLE).group(1));
        browser.driver().manage().window().setSize(new Dimension(1440, 1000));
        // The first page that a browser sees tells its zone and is then loaded anew.
        browser.open("/event");
        await().atMost(PATIENCE).until(() -> browser.driver().manage().getCookieNamed("zone") != null);
        await().atMost(PATIENCE)
                .until(() -> count("select count(*) from totals where pipeline = 'sales' and version = 1") > 0);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        try {
            if (browser != null) {
                browser.close();
            }
        } finally {
            if (demo != null) {
                demo.destroy();
                boolean ended = demo.waitFor(60, TimeUnit.SECONDS);
                demo.destroyForcibly();
                assertThat(ended).as(printed()).isTrue();
            }
        }
    }

    @AfterEach
    void noPageHasComplaints() {
        assertThat(browser.complaints()).isEmpty();
    }

    /** Waits for what the demo prints. */
    private static Matcher said(Pattern pattern) {
        await().atMost(PATIENCE)
                .until(() -> !demo.isAlive() || pattern.matcher(printed()).find());
        Matcher found = pattern.matcher(printed());
        assertThat(found.find()).as(printed()).isTrue();
        return found;
    }

    private static String printed() {
        try {
            return Files.readString(output, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeEach
    void light() {
        browser.chooseTheme("light");
    }

    @Test
    void theTotalsAreThoseOfTheDatabase() throws IOException {
        eventually(() -> {
            String until = text("select to_char(min(window_start) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                    + " from totals where pipeline = 'sales' and version > 0");
            browser.open("/?pipeline=sales&until=" + until);
            List<String> keys = browser.texts("tbody th.key");
            List<String> totals = browser.values("tbody td.strong data");
            List<String> statuses = browser.texts("tbody .badge span:last-child");
            assertThat(IntStream.range(0, keys.size())
                            .mapToObj(row -> String.join("|", keys.get(row), totals.get(row), statuses.get(row)))
                            .toList())
                    .isNotEmpty()
                    .isEqualTo(sql.sql(
                                    "select distinct on (window_start, key) key || '|' || total || '|' || status from totals"
                                            + " where pipeline = 'sales' and window_start <= :until::timestamptz"
                                            + " order by window_start desc, key, version desc limit 50")
                            .param("until", until)
                            .query(String.class)
                            .list());
        });
        browser.open("/?pipeline=sales");
        await().atMost(PATIENCE).until(() -> !browser.texts(".plot canvas").isEmpty());
        browser.keep("totals");
    }

    /** A repetition is named in the database; what it repeats, which was simply counted, the recount finds in the input. */
    @Test
    void aRepeatedEventIsFoundAndSoIsTheOneThatCounts() throws IOException {
        String repetition =
                "select event_id from exceptions as one where pipeline = 'sales' and disposition = 'duplicate'"
                        + " and not exists (select from exceptions as other where other.pipeline = 'sales'"
                        + " and other.event_id = one.event_id and other.disposition <> 'duplicate') order by source_offset limit 1";
        await().atMost(PATIENCE).until(() -> count("select count(*) from (" + repetition + ") as found") > 0);
        browser.open("/event?id=" + text(repetition));
        eventually(() -> assertThat(browser.texts("#answer > article .badge")).contains("duplicate"));
        eventually(() -> assertThat(browser.texts("#in-input .badge")).contains("counted"));
        browser.keep("event");
    }

    @Test
    void theLedgerAddsUp() throws IOException {
        eventually(() -> {
            openShowing(
                    "/ledger?pipeline=sales",
                    By.cssSelector(".flow-right tbody td.strong data"),
                    "select sum(counted) from ledger where pipeline = 'sales'");
            assertThat(browser.values("#difference data")).containsExactly("0");
            assertThat(browser.values("#difference-amount data")).containsExactly("0.00");
        });
        browser.keep("ledger");
    }

    @Test
    void theGraceIsChosenFromWhatCame() throws IOException {
        eventually(() -> {
            openShowing(
                    "/grace?pipeline=sales",
                    By.cssSelector("#late-events data"),
                    "select late_events from grace_what_if where pipeline = 'sales' and grace = '5 min'");
            assertThat(browser.texts("#answer .hero .figure-big")).contains("5 min");
        });
        browser.keep("grace");
    }

    /** A step that is the same before and after the page is loaded has stood still meanwhile. */
    @Test
    void pairsAndWhatStayedAloneAreThoseOfTheDatabase() throws IOException {
        await().atMost(PATIENCE)
                .until(() -> count("select count(distinct status) from pairs_current where pipeline = 'order-payments'"
                                + " and event_time > (select max(event_time) - interval '4 h' from pairs"
                                + " where pipeline = 'order-payments')")
                        == 3);
        eventually(() -> {
            Map<String, Pairs> before = pairsBySteps();
            List<List<String>> aloneBefore = alone();
            browser.open("/pairs?pipeline=order-payments");
            Pairs sum = pairs(browser.values("#matched data, #left-alone data, #right-alone data"));
            Map<String, Pairs> shown = shownBySteps();
            List<String> shownAlone = browser.texts("tbody th.key");
            List<List<String>> alone = alone();
            Map<String, Pairs> after = pairsBySteps();

            assertThat(shown).hasSize(48);
            assertThat(sum).isEqualTo(Pairs.sum(shown.values().stream()));
            shown.forEach((step, pairs) -> {
                Pairs one = before.getOrDefault(step, Pairs.NONE);
                Pairs other = after.getOrDefault(step, Pairs.NONE);
                assertThat(pairs)
                        .as("%s between %s and %s", step, one, other)
                        .matches(found -> found.isBetween(one, other));
            });
            Pairs still = Pairs.sum(shown.keySet().stream()
                    .filter(step -> after.containsKey(step) && after.get(step).equals(before.get(step)))
                    .map(after::get));
            assertThat(Stream.of(still.matched(), still.left(), still.right())).allMatch(number -> number > 0);
            assertThat(alone).isEqualTo(aloneBefore);
            assertThat(shownAlone)
                    .isEqualTo(alone.stream()
                            .filter(event -> shown.containsKey(event.get(1)))
                            .map(event -> event.get(0))
                            .limit(100)
                            .toList());
        });
        browser.keep("pairs");
    }

    /** How many are matched, alone on the left, and alone on the right. */
    private record Pairs(long matched, long left, long right) {

        private static final Pairs NONE = new Pairs(0, 0, 0);

        static Pairs sum(Stream<Pairs> parts) {
            return parts.reduce(
                    NONE,
                    (one, other) ->
                            new Pairs(one.matched + other.matched, one.left + other.left, one.right + other.right));
        }

        boolean isBetween(Pairs one, Pairs other) {
            return isBetween(matched, one.matched, other.matched)
                    && isBetween(left, one.left, other.left)
                    && isBetween(right, one.right, other.right);
        }

        private static boolean isBetween(long number, long one, long other) {
            return Math.min(one, other) <= number && number <= Math.max(one, other);
        }
    }

    private static Pairs pairs(List<String> numbers) {
        assertThat(numbers).hasSize(3);
        return new Pairs(
                Long.parseLong(numbers.get(0)), Long.parseLong(numbers.get(1)), Long.parseLong(numbers.get(2)));
    }

    /** By the start of their step of ten minutes. */
    private static Map<String, Pairs> pairsBySteps() {
        return sql
                .sql("select " + STEP + ", count(*) filter (where status = 'matched'),"
                        + " count(*) filter (where status = 'left-unmatched'),"
                        + " count(*) filter (where status = 'right-unmatched')"
                        + " from pairs_current where pipeline = 'order-payments' group by 1")
                .query((row, number) ->
                        Map.entry(row.getString(1), new Pairs(row.getLong(2), row.getLong(3), row.getLong(4))))
                .list()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** The same as the page has it. */
    private static Map<String, Pairs> shownBySteps() {
        List<String> starts = browser.attributes("#shares tbody time", "datetime");
        List<String> numbers = browser.values("#shares tbody data");
        return IntStream.range(0, starts.size())
                .boxed()
                .collect(Collectors.toMap(starts::get, step -> pairs(numbers.subList(3 * step, 3 * step + 3))));
    }

    /** The events without a partner, each with the start of its step, the newest first. */
    private static List<List<String>> alone() {
        return sql.sql("select left_id || right_id, " + STEP + " from pairs_current"
                        + " where pipeline = 'order-payments' and status <> 'matched' order by event_time desc")
                .query((row, number) -> List.of(row.getString(1), row.getString(2)))
                .list();
    }

    @Test
    void aCustomerIsKnown() throws IOException {
        await().atMost(PATIENCE).until(() -> count("select count(*) from profiles where count > 0") > 0);
        String key = text("select key from profiles where count > 0 order by key limit 1");
        eventually(() -> {
            openShowing(
                    "/profile?key=" + key,
                    By.xpath("//article[last()]//div[dt='Events']//data"),
                    "select count from profiles where key = '" + key + "'");
            assertThat(browser.texts("#answer h2 .badge span:last-child")).containsExactly("live, from the app");
        });
        browser.keep("profile");
    }

    @Test
    void mayWePublishSaysTheSameToPeopleAndPrograms() throws IOException {
        String day = text("select to_char(min(window_start) at time zone 'UTC', 'YYYY-MM-DD') from totals"
                + " where pipeline = 'sales'");
        String question = "?pipeline=sales&day=" + day;
        eventually(() -> {
            boolean asked = get("/api/publishable" + question).contains("\"publishable\":true");
            browser.open("/publish" + question);
            assertThat(browser.texts("#yes-no span:last-child")).containsExactly(asked ? "Yes" : "Not yet");
            assertThat(browser.texts(".checks li")).hasSizeGreaterThan(5);
        });
        browser.keep("publish");
    }

    @Test
    void allIsWell() throws IOException {
        int apps = 1 + GuestApps.pipelines().size();
        eventually(() -> {
            browser.open("/health");
            assertThat(browser.texts(".apps .verdict-ok")).hasSize(1 + apps);
            assertThat(browser.texts("#answer svg title")).isNotEmpty();
        });
        browser.keep("health");
    }

    /** The page is a moment older than the database, so it may have to be looked at again. */
    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(assertion);
    }

    /** Opens a page with a number that only grows: what the database said before, or says by now, or one between. */
    private static void openShowing(String path, By number, String query) {
        long before = count(query);
        browser.open(path);
        assertThat(Long.parseLong(browser.driver().findElement(number).getDomAttribute("value")))
                .isBetween(before, count(query));
    }

    private static long count(String query) {
        return sql.sql(query).query(Long.class).single();
    }

    private static String text(String query) {
        return sql.sql(query).query(String.class).single();
    }

    private static String get(String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(said(CONSOLE).group(1) + path))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }
}
