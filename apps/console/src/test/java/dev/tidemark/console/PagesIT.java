package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import dev.tidemark.embedded.EmbeddedDatabase;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What the pages say about a filled database, and what they say while there is none. */
class PagesIT {

    private static final String HOSTILE_KEY = "<script>alert(2)</script> & \"Ω\" 日本";
    private static final String HOSTILE_ID = "\"><img src=x onerror=alert(1)>";

    @TempDir
    private static Path directory;

    private static EmbeddedDatabase database;
    private static ConsoleServer console;
    private static AnsweringApp app;
    private static JdbcClient sql;

    @BeforeAll
    static void start() throws Exception {
        database = EmbeddedDatabase.start(directory, 0);
        database.migrate();
        ConsoleServer.fill(database);
        ConsoleServer.fill(database, "/counts.sql");
        sql = JdbcClient.create(database.dataSource());
        String counted = sql.sql(
                        "select '{\"pipeline\":\"sales\",\"subject\":\"totals\",\"topic\":\"sales\",\"partition\":1,'"
                                + " || '\"offset\":9007199254740993,\"key\":' || to_json(key) || ',\"event_time\":\"' ||"
                                + " to_char(window_start at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') ||"
                                + " '\",\"arrival_time\":\"2026-07-01T00:00:01Z\",\"amount\":1234.50,\"settled\":true,"
                                + "\"windows\":[{\"start\":\"' ||"
                                + " to_char(window_start at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') || '\"}]}'"
                                + " from totals where pipeline = 'sales' and version = 3 order by key, window_start limit 1")
                .query(String.class)
                .single();
        String waiting = "{\"pipeline\":\"order-payments\",\"subject\":\"pairs\",\"topic\":\"orders\",\"partition\":0,"
                + "\"offset\":5,\"key\":\"O9999\",\"event_time\":\"2026-07-01T00:00:00Z\",\"arrival_time\":"
                + "\"2026-07-01T00:00:01Z\",\"amount\":0,\"settled\":true,\"windows\":[]}";
        String found = "{\"since\":\"2026-06-29T00:00:00Z\",\"found\":[%s],\"problems\":[%s]}";
        app = new AnsweringApp(Map.of(
                "/events?id=c%201%2F%26",
                found.formatted(counted, ""),
                "/events?id=O9999",
                found.formatted(waiting, "\"sales: <it> is away.\""),
                "/events?id=nowhere",
                found.formatted("", ""),
                "/actuator/health",
                "{\"status\":\"UP\",\"components\":{\"streams\":{\"status\":\"UP\",\"details\":{\"state\":\"RUNNING\"}}}}",
                "/actuator/prometheus",
                "kafka_consumer_fetch_manager_records_lag{partition=\"0\",topic=\"sales\"} 1234567.0\n",
                "/actuator/topology",
                "{\"description\":\"Source: read-<sales> (topics: [sales])\\n --> none\"}",
                "/profiles?key=G%207%2F%26",
                "{\"key\":\"G 7/&\",\"amount\":9007199254740993.10,\"visits_today\":0,\"profile\":null,"
                        + "\"last_time\":\"2026-07-02T17:00:00.000Z\"}"));
        console = ConsoleServer.start(
                database,
                "tidemark.console.budgets.sales=100000",
                "tidemark.console.profiles=" + app.url("/profiles"),
                "tidemark.console.events=" + app.url("/events"),
                "tidemark.console.apps[1].name=totals",
                "tidemark.console.apps[1].url=" + app.url("/actuator"),
                "tidemark.console.apps[0].name=gone",
                "tidemark.console.apps[0].url=http://127.0.0.1:9/actuator");
    }

    @AfterAll
    static void stop() {
        console.close();
        app.close();
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/event", "/ledger", "/grace", "/pairs", "/profile", "/publish", "/health"})
    void everyPageAnswersInBothLanguagesUnderItsQuestion(String path) {
        Question question = Question.of(path);
        String english = console.get(path, "Accept-Language", "en").body();
        String japanese = console.get(path, "Accept-Language", "ja,en;q=0.5").body();

        assertThat(english).contains("<html lang=\"en\"").contains("aria-current=\"page\"");
        assertThat(japanese).contains("<html lang=\"ja\"");
        assertThat(english).doesNotContain(question.key()).doesNotContain("??");
        assertThat(japanese).doesNotContain(question.key()).doesNotContain("??");
    }

    @Test
    void aTotalIsShownWithAllItsDigitsAndItsStatus() {
        assertThat(console.page("/?pipeline=odd"))
                .contains(">12,345,678,901,234,567,890.12</data>")
                .contains(">9,007,199,254,740,993</data>");
        assertThat(console.page("/?pipeline=sales")).contains("badge badge-provisional", "badge badge-final");
        assertThat(console.page("/?pipeline=sales&corrected=true"))
                .contains("badge badge-corrected")
                .doesNotContain("badge badge-final", "newest-total");
    }

    @Test
    void nothingOfWhatUsersSendIsMarkup() {
        for (String page : List.of(
                console.page("/?pipeline=odd"),
                console.page("/?pipeline=odd&key=" + encoded(HOSTILE_KEY)),
                console.page("/window?pipeline=odd&start=2026-07-02T17:50:00Z&key=" + encoded(HOSTILE_KEY)),
                console.page("/event?id=" + encoded(HOSTILE_ID)),
                console.page("/profile?key=" + encoded(HOSTILE_KEY)))) {
            assertThat(page)
                    .doesNotContain("<script>")
                    .doesNotContain("<img")
                    .doesNotContain("<b>other")
                    .doesNotContain("</pre><script");
        }
        assertThat(console.page("/event?id=" + encoded(HOSTILE_ID)))
                .contains("&lt;b&gt;other content&lt;/b&gt; &amp; &quot;quotes&quot;");
        assertThat(console.page("/window?pipeline=odd&start=2026-07-02T17:50:00Z&key=" + encoded(HOSTILE_KEY)))
                .contains("&lt;script&gt;alert(2)&lt;/script&gt; &amp; &quot;Ω&quot; 日本")
                .contains("12,345,678,901,234,567,890.12");
    }

    @Test
    void noPageHasScriptsOrStylesInIt() {
        for (Question question : Question.values()) {
            assertThat(console.page(question.path()))
                    .doesNotContain("<style")
                    .doesNotContain(" style=")
                    .doesNotContainPattern("<script(?! src=)")
                    .doesNotContainPattern("\\son[a-z]+=");
        }
    }

    @Test
    void aWindowShowsEveryVersionAndTheEventsBehindIt() {
        var corrected = sql.sql(
                        "select key, window_start::text as start, cause_event_id from totals where version = 3 limit 1")
                .query()
                .singleRow();
        String address = "/window?pipeline=sales&key=" + corrected.get("key") + "&start="
                + encoded(corrected.get("start").toString().replace(' ', 'T').replace("+00", "Z"));

        assertThat(console.page(address))
                .contains("id=\"v-0\"", "id=\"v-1\"", "id=\"v-2\"", "id=\"v-3\"")
                .contains("/event?id=" + corrected.get("cause_event_id"));
        assertThat(console.page(address + "&version=1")).contains("Known from");
    }

    @Test
    void asOfAMomentThePastIsShown() {
        long first = sql.sql("select extract(epoch from min(recorded_at))::bigint from totals where version = 2")
                .query(Long.class)
                .single();
        List<String> known = sql.sql(
                        "select distinct on (window_start, key) total::text from totals where pipeline = 'sales' and"
                                + " recorded_at <= to_timestamp(?) order by window_start desc, key, version desc limit 5")
                .param(first + 5)
                .query(String.class)
                .list();

        String page = console.page("/?pipeline=sales&asof=" + (first + 5) + "&now=" + (first + 999_999_999));

        assertThat(known).hasSize(5).allSatisfy(total -> assertThat(page).contains("value=\"" + total + "\""));
        assertThat(page).contains("As it was known at");
    }

    @Test
    void timesAreInTheZoneOfTheReaderWithUtcBesideThem() {
        String page = console.get("/?pipeline=sales&key=S001", "Cookie", "zone=Asia%2FTokyo")
                .body();

        assertThat(page).contains("title=\"2026-07-02 17:50:00 UTC – 2026-07-02 18:00:00 UTC\"");
        assertThat(page).contains(">2026-07-03 02:50 – 03:00</time>");
        assertThat(page).contains("<strong>Asia/Tokyo</strong>");
    }

    @Test
    void olderWindowsFollowWithoutAGapOrARepetition() {
        String newest = console.page("/?pipeline=sales");
        String next = newest.replaceFirst("(?s).*<p class=\"pager\"><a href=\"([^\"]*)\".*", "$1")
                .replace("&amp;", "&");
        String older = console.page(next);

        assertThat(newest.split("<tr id=\"w-").length - 1).isEqualTo(50);
        List<String> expected = sql.sql(
                        "select distinct on (window_start, key) extract(epoch from window_start)::bigint || '-' || key"
                                + " from totals where pipeline = 'sales' order by window_start desc, key, version desc"
                                + " limit 100")
                .query(String.class)
                .list();
        assertThat(Stream.concat(rows(newest).stream(), rows(older).stream())).containsExactlyElementsOf(expected);
    }

    @Test
    void anEventSaysWhereItWentAndAnUnknownOneThatNothingIsRecorded() {
        String late = sql.sql("select cause_event_id from totals where version = 2 limit 1")
                .query(String.class)
                .single();

        assertThat(console.page("/event?id=" + late))
                .contains("badge badge-late")
                .contains("It is part of")
                .contains("version 2");
        assertThat(console.page("/event?id=S004-old"))
                .contains("It is part of no total.")
                .contains("−6.10");
        assertThat(console.page("/event?id=P38")).contains("Nothing is recorded");
        assertThat(console.page("/event?id=O38")).contains("no payment within 10 min");
        assertThat(console.page("/event?id=O19"))
                .contains("the payment came late")
                .doesNotContain("no payment within");
    }

    @Test
    void anEventThatWasSimplyCountedIsFoundInTheInputWithTheVersionThatCountsIt() {
        var versions = sql.sql("select version, total::text as total from totals join (select key, window_start from"
                        + " totals where pipeline = 'sales' and version = 3 order by key, window_start limit 1) as which"
                        + " using (key, window_start) where pipeline = 'sales' and version in (1, 3) order by version")
                .query()
                .listOfRows();

        assertThat(console.page("/event?id=c%201%2F%26"))
                .contains("hx-get=\"/event?input=true&amp;id=c%201/%26\"")
                .contains("Nothing is recorded");
        assertThat(console.page("/event?id=c%201%2F%26&input=true"))
                .contains("badge badge-counted")
                .contains("version 1")
                .contains("value=\"" + versions.get(0).get("total") + "\"")
                .contains("now version 3")
                .contains("value=\"" + versions.get(1).get("total") + "\"")
                .contains("sales-1@9007199254740993")
                .contains("1,234.50")
                .doesNotContain("hx-trigger=\"load\"");
    }

    @Test
    void theInputSaysWhatWaitsWhatIsNotThereAndWhatCannotBeTold() {
        assertThat(console.page("/event?id=O9999&input=true"))
                .contains("It waits for a partner.")
                .doesNotContain("badge badge-counted")
                .contains("sales: &lt;it&gt; is away.");
        assertThat(console.page("/event?id=nowhere&input=true"))
                .contains("No record that could be read has this id")
                .contains("2026-06-29");
        assertThat(console.page("/event?id=unheard&input=true")).contains("does not answer");
    }

    @Test
    void theLedgerShowsTheDifferenceInPlainSight() {
        assertThat(console.page("/ledger?pipeline=sales"))
                .containsPattern("id=\"difference\"><data class=\"number\" value=\"0\">0<")
                .contains("It adds up");
        assertThat(console.page("/ledger?pipeline=refunds"))
                .containsPattern("id=\"difference\"><data class=\"number\" value=\"1\">1<")
                .containsPattern("id=\"difference-amount\"><data class=\"number\" value=\"2.50\">2.50<")
                .contains("It does not add up")
                .contains("430.00");
    }

    /** Not by its colour alone: with a name, its number, and a ribbon that is drawn otherwise. */
    @Test
    void recordsThatNobodyAccountsForAreDrawnAndNamed() {
        assertThat(console.page("/ledger?pipeline=refunds"))
                .contains("<path class=\"ribbon ribbon-unaccounted\"")
                .containsPattern("unaccounted for</span></th>\\s*<td class=\"right strong\"><data class=\"number\""
                        + " value=\"1\">1</data></td>\\s*<td class=\"right faint more\">25[^<]*</td>\\s*"
                        + "<td class=\"right\"><data class=\"number\" value=\"2.50\">");
        assertThat(console.get("/ledger?pipeline=refunds", "Accept-Language", "ja")
                        .body())
                .contains("行方不明");
        assertThat(console.page("/ledger?pipeline=sales")).doesNotContain("unaccounted");
    }

    @Test
    void whereEventsHaveNoAmountNoPageShowsMoney() {
        assertThat(console.page("/ledger?pipeline=visits"))
                .contains("It adds up", "value=\"49\"")
                .doesNotContain("difference-amount", "Difference, money", ">Money<", ">0.00<");
        assertThat(console.page("/ledger?pipeline=order-payments")).doesNotContain("difference-amount", ">Money<");
        assertThat(console.page("/?pipeline=visits"))
                .contains("Events of all keys", ">41</data> <span>events</span>")
                .doesNotContain(">Total<", ">Change<");
        assertThat(console.page("/window?pipeline=visits&key=door&start=2026-07-01T00:00:00Z"))
                .contains(">41</data> <span>events</span>", ">40</data> <span>events</span>")
                .doesNotContain("Smallest", "Largest", ">Amount<", "class=\"delta\"");
        assertThat(console.page("/event?id=V-9"))
                .containsPattern("<dt>Amount</dt><dd><data[^>]*>–</data>")
                .contains(
                        "version 2</span>: <strong><data class=\"number\" value=\"41\">41</data> <span>events</span>");
        assertThat(console.page("/grace?pipeline=visits"))
                .contains("Late events")
                .doesNotContain("Money in corrections");
        assertThat(console.page("/profile?key=guest"))
                .contains("<dt>Visits today</dt><dd><data class=\"number\" value=\"2\">")
                .contains("<dt>Spent in all</dt><dd><span class=\"faint\">–</span>");
        assertThat(console.page("/publish?pipeline=visits&day=2026-07-01"))
                .contains("the events have no amounts")
                .doesNotContain("id=\"late\"");
        String answer =
                console.get("/api/publishable?pipeline=visits&day=2026-07-01").body();
        assertThat(JsonPath.<Map<String, Object>>read(answer, "$")).doesNotContainKey("lateMoney");
        assertThat(JsonPath.<List<String>>read(answer, "$.checks[?(@.status == 'not-checked')].check"))
                .contains("late-money");
    }

    /** Sales and refunds may cancel each other out, and all may be free. */
    @Test
    void whereEventsHaveAmountsNoMoneyIsAZero() {
        sql.sql(
                        "insert into ledger select 'free', source_topic, source_partition, received, counted, partly_late, late,"
                                + " too_late, duplicate, conflicting, future, malformed, out_of_range, held, 0.00, 0.00, 0.00, 0.00,"
                                + " 0.00, 0.00, 0.00, 0.00, 0.00, stream_time, recorded_at from ledger where pipeline = 'visits'"
                                + " union all select 'yen', source_topic, source_partition, received, counted, partly_late, late,"
                                + " too_late, duplicate, conflicting, future, malformed, out_of_range, held, 0, 0, 0, 0, 0, 0, 0, 0,"
                                + " 0, stream_time, recorded_at from ledger where pipeline = 'visits'")
                .update();
        sql.sql("insert into totals (pipeline, key, window_start, window_end, version, status, total, count, minimum,"
                        + " maximum, settings) values ('yen', 'S1', '2026-07-01Z', '2026-07-02Z', 1, 'final', 0, 2, -430,"
                        + " 430, '1')")
                .update();

        assertThat(console.page("/ledger?pipeline=free"))
                .containsPattern("id=\"difference-amount\"><data class=\"number\" value=\"0.00\">0.00<");
        assertThat(console.page("/ledger?pipeline=yen"))
                .containsPattern("id=\"difference-amount\"><data class=\"number\" value=\"0\">0<");
        assertThat(console.page("/?pipeline=yen")).contains(">Total<").containsPattern("strong\"><data [^>]*>0<");
        assertThat(console.page("/publish?pipeline=yen&day=2026-07-01")).containsPattern("id=\"late\"><data [^>]*>0<");
    }

    @Test
    void theGraceOfTheSliderGivesWhatTheFunctionGives() {
        int step = GracePage.STEPS.indexOf(java.time.Duration.ofMinutes(10));
        var row = sql.sql("select late_events::text as events, late_amount::text as amount from grace_what_if where"
                        + " pipeline = 'sales' and grace = '10 min'")
                .query()
                .singleRow();
        String recommended = sql.sql("select extract(epoch from recommended_grace('sales', 0.99))::bigint::text")
                .query(String.class)
                .single();

        String page = console.page("/grace?pipeline=sales&step=" + step);

        assertThat(page)
                .containsPattern("id=\"late-events\"><data class=\"number\" value=\"" + row.get("events") + "\"");
        assertThat(page)
                .containsPattern("id=\"late-money\"><data class=\"number\" value=\"" + row.get("amount") + "\"");
        assertThat(page)
                .contains(">"
                        + new Show(
                                        new Reader(java.util.Locale.ROOT, java.time.ZoneOffset.UTC, ""),
                                        texts(),
                                        java.time.Instant.EPOCH)
                                .duration(java.time.Duration.ofSeconds(Long.parseLong(recommended)))
                        + "</strong>");
        assertThat(page).contains(">28,800</data>");
    }

    @Test
    void pairsAreCountedAsTheViewCountsThem() {
        var row = sql.sql(
                        "select count(*) filter (where status = 'matched') as matched, count(*) filter (where status ="
                                + " 'left-unmatched') as lefts, count(*) filter (where status = 'right-unmatched') as rights"
                                + " from pairs_current where event_time >= (select date_bin('10"
                                + " min', max(event_time), 'epoch') from pairs) + interval '10 min' - interval '8 h'")
                .query()
                .singleRow();

        assertThat(console.page("/pairs?pipeline=order-payments"))
                .containsPattern("id=\"matched\"><data class=\"number\" value=\"" + row.get("matched") + "\"")
                .containsPattern("id=\"left-alone\"><data class=\"number\" value=\"" + row.get("lefts") + "\"")
                .containsPattern("id=\"right-alone\"><data class=\"number\" value=\"" + row.get("rights") + "\"");
    }

    @Test
    void whatStayedAloneIsListedWithItsReason() {
        List<String> alone = sql.sql(
                        "select left_id || right_id || ' ' || reason from pairs_current where status <> 'matched'"
                                + " order by event_time desc limit 50")
                .query(String.class)
                .list();

        Matcher row = Pattern.compile("<tr id=\"a-.*?>([OP]\\d+)</a>.*?</td><td>(no .*?)</td>", Pattern.DOTALL)
                .matcher(console.page("/pairs?pipeline=order-payments"));
        assertThat(row.results().map(found -> found.group(1) + " " + found.group(2)))
                .isEqualTo(alone)
                .anyMatch(text -> text.endsWith(" no order before it"));
    }

    @Test
    void lateMoneyBeyondTheBudgetStandsAgainstPublishing() {
        try (ConsoleServer frugal = ConsoleServer.start(database, "tidemark.console.budgets.sales=0.01")) {
            HttpResponse<String> no = frugal.get("/api/publishable?pipeline=sales&day=2026-07-01");

            assertThat(JsonPath.<List<String>>read(no.body(), "$.checks[?(@.status == 'missing')].check"))
                    .containsExactly("late-money");
            assertThat(frugal.page("/publish?pipeline=sales&day=2026-07-01")).contains("hero answer-no");
        }
    }

    @Test
    void aDayMayBePublishedWhenNothingStandsAgainstIt() {
        HttpResponse<String> yes = console.get("/api/publishable?pipeline=sales&day=2026-07-01");
        HttpResponse<String> no = console.get("/api/publishable?pipeline=sales&day=2026-07-02");

        assertThat(yes.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<Boolean>read(yes.body(), "$.publishable")).isTrue();
        assertThat(JsonPath.<String>read(yes.body(), "$.lateMoney"))
                .isEqualTo(late("2026-07-01").toPlainString());
        assertThat(console.page("/publish?pipeline=sales&day=2026-07-01")).contains("hero answer-yes");

        assertThat(no.statusCode()).isEqualTo(409);
        assertThat(JsonPath.<List<String>>read(no.body(), "$.checks[?(@.status == 'missing')].check"))
                .containsExactly("is-over", "all-final");
        assertThat(JsonPath.<List<List<String>>>read(no.body(), "$.checks[?(@.check == 'is-over')].examples")
                        .get(0))
                .contains("sales-3 2026-07-02T17:55:31Z");
        assertThat(console.page("/publish?pipeline=sales&day=2026-07-02"))
                .contains("hero answer-no")
                .contains("<span class=\"key\">sales-3</span> <time datetime=\"2026-07-02T17:55:31Z\"");
    }

    @Test
    void aDayOfACalendarPipelineIsADayOfItsZone() {
        // The window from 00:00 UTC is, in Berlin, from 02:00 to 02:00: it reaches into two days.
        HttpResponse<String> day = console.get("/api/publishable?pipeline=refunds&day=2026-07-01");

        assertThat(JsonPath.<String>read(day.body(), "$.zone")).isEqualTo("Europe/Berlin");
        assertThat(JsonPath.<List<String>>read(day.body(), "$.checks[?(@.status == 'missing')].check"))
                .containsExactly("is-over", "all-final", "ledger-balanced", "nothing-refused");
    }

    /** Without provisional totals an open window has no row, and a ledger that does not change may be one nobody writes. */
    @Test
    void aDayIsNotOverForWantOfEvidence() {
        sql.sql("insert into totals (pipeline, key, window_start, window_end, version, status, total, count, minimum,"
                        + " maximum, closed_by, stream_time, settings, zone) values ('silent', 'S1',"
                        + " '2026-07-01 10:00Z', '2026-07-01 11:00Z', 1, 'final', 1.00, 1, 1.00, 1.00, 'idle',"
                        + " '2026-07-01 11:30Z', '1', 'UTC')")
                .update();
        sql.sql("insert into ledger (pipeline, source_topic, source_partition, received, counted, partly_late, late,"
                        + " too_late, duplicate, conflicting, future, malformed, out_of_range, held, received_amount,"
                        + " counted_amount, partly_late_amount, late_amount, too_late_amount, duplicate_amount,"
                        + " conflicting_amount, future_amount, held_amount, stream_time, recorded_at) values ('silent',"
                        + " 'silent', 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.00, 1.00, 0, 0, 0, 0, 0, 0, 0,"
                        + " '2026-07-01 11:30Z', now() - interval '2 hours')")
                .update();
        sql.sql(
                        "insert into ledger select pipeline, source_topic, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,"
                                + " 0, 0, null, recorded_at from ledger where pipeline = 'silent'")
                .update();
        String answer = "/api/publishable?pipeline=silent&day=2026-07-01";

        assertThat(JsonPath.<List<String>>read(console.get(answer).body(), "$.checks[?(@.status == 'missing')].check"))
                .containsExactly("is-over", "all-final");
        assertThat(JsonPath.<List<List<String>>>read(
                        console.get(answer).body(), "$.checks[?(@.check == 'is-over')].examples"))
                .containsExactly(List.of("silent-0 2026-07-01T11:30:00Z", "silent-1 –"));
        assertThat(JsonPath.<List<String>>read(
                        console.get(answer).body(), "$.checks[?(@.status == 'not-checked')].check"))
                .contains("no-break");

        sql.sql("insert into reconciliation_runs (run_id, pipeline, subject, from_time, to_time, started_at, outcome,"
                        + " compared, equal) values ('00000000-0000-0000-0000-000000000009', 'silent', 'totals',"
                        + " '2026-06-30Z', '2026-07-02Z', now(), 'equal', 1, 1)")
                .update();
        assertThat(console.get(answer).statusCode()).isEqualTo(200);
    }

    @Test
    void whatPostgresqlDoesNotKnowIsAWrongQuestionAndNotAnAbsence() {
        assertThat(console.get("/event?id=a%00b").statusCode()).isEqualTo(400);
        assertThat(console.get("/event?id=a%00b").body()).contains("This cannot be asked");
    }

    @Test
    void aRepetitionSaysThatTheOtherOneCountsAndALatePairIsNotAWindowToCome() {
        sql.sql(
                        "insert into exceptions (pipeline, source_topic, source_partition, source_offset, event_id, key,"
                                + " event_time, arrival_time, amount, disposition, reason, version) values"
                                + " ('sales', 'sales', 0, 990001, 'twice', 'S1', '2026-07-01Z', '2026-07-01Z', 1, 'duplicate', 'r', null),"
                                + " ('order-payments', 'payments', 0, 990002, 'later', 'O1', '2026-07-01Z', '2026-07-01Z', 0, 'late', 'r', 2)")
                .update();

        assertThat(console.page("/event?id=twice")).contains("That one counts, this one does not.");
        assertThat(console.page("/event?id=later"))
                .contains("It is counted, although it came late.")
                .doesNotContain("not published yet");
    }

    @Test
    void aQuestionThatCannotBeAnsweredHasAStatusOfItsOwn() {
        assertThat(console.get("/api/publishable?pipeline=none&day=2026-07-01").statusCode())
                .isEqualTo(404);
        assertThat(console.get("/api/publishable?pipeline=sales&day=today").statusCode())
                .isEqualTo(400);
        assertThat(console.get("/api/publishable?pipeline=sales").statusCode()).isEqualTo(400);
    }

    @Test
    void aBreakStandsAgainstPublishingUntilARecountResolvesIt() {
        Assumptions.assumeTrue(isThere("unresolved_breaks"), "The reconcile app has no tables yet.");
        sql.sql("insert into reconciliation_runs (run_id, pipeline, subject, started_at, finished_at, outcome,"
                        + " compared, different) values ('00000000-0000-0000-0000-000000000001', 'sales',"
                        + " 'totals', now(), now(), 'different', 1, 1)")
                .update();
        sql.sql("insert into reconciliation_breaks (run_id, number, kind, key, window_start,"
                        + " published_version, published_total, recounted_total, explanation) values"
                        + " ('00000000-0000-0000-0000-000000000001', 1, 'different', 'S001', '2026-07-01 10:00Z',"
                        + " 1, 430.00, 350.00, 'event <e6> was counted twice')")
                .update();

        assertThat(console.page("/ledger?pipeline=sales"))
                .contains("event &lt;e6&gt; was counted twice")
                .contains(">430.00</data>", ">350.00</data>");
        assertThat(missing("2026-07-01")).containsExactly("no-break");

        sql.sql("insert into reconciliation_runs (run_id, pipeline, subject, started_at, finished_at, outcome,"
                        + " compared, equal) values ('00000000-0000-0000-0000-000000000002', 'sales', 'totals', now(),"
                        + " now() + interval '1 s', 'equal', 1, 1)")
                .update();
        sql.sql("update reconciliation_breaks set resolved_by = '00000000-0000-0000-0000-000000000002'")
                .update();

        assertThat(missing("2026-07-01")).isEmpty();
        assertThat(console.page("/ledger?pipeline=sales"))
                .doesNotContain("was counted twice")
                .contains("verdict-ok");
    }

    /** The ledger of a pipeline is about no key and no window. */
    @Test
    void aBreakOfTheLedgerIsNamedInTheLanguageOfTheReaderAndHasNoKey() {
        sql.sql("insert into ledger select 'odd', source_topic, source_partition, received, counted, partly_late, late,"
                        + " too_late, duplicate, conflicting, future, malformed, out_of_range, held, received_amount,"
                        + " counted_amount, partly_late_amount, late_amount, too_late_amount, duplicate_amount,"
                        + " conflicting_amount, future_amount, held_amount, stream_time, recorded_at from ledger"
                        + " where pipeline = 'refunds'")
                .update();
        sql.sql("insert into reconciliation_runs (run_id, pipeline, subject, started_at, finished_at, outcome,"
                        + " compared, equal) values ('00000000-0000-0000-0000-000000000011', 'odd', 'totals', now(),"
                        + " now(), 'different', 1, 1)")
                .update();
        sql.sql("insert into reconciliation_breaks (run_id, number, kind, key, window_start, published_total,"
                        + " published_count, recounted_total, recounted_count, explanation) values"
                        + " ('00000000-0000-0000-0000-000000000011', 1, 'ledger', null, null, 5.00, 3, 7.50, 4,"
                        + " 'the ledger does not balance'),"
                        + " ('00000000-0000-0000-0000-000000000011', 2, 'version-missing', 'S001',"
                        + " '2026-07-02 17:50Z', 2, 1, 2, 1, 'version 1 is missing')")
                .update();
        String day = "?pipeline=odd&day=2026-07-02";

        assertThat(JsonPath.<List<List<String>>>read(
                        console.get("/api/publishable" + day, "Accept-Language", "ja")
                                .body(),
                        "$.checks[?(@.check == 'no-break')].examples"))
                .containsExactly(List.of("ledger", "version-missing S001 2026-07-02T17:50:00Z"));
        assertThat(console.page("/publish" + day))
                .contains(
                        "<li><span>ledger</span> </li>", "<li><span>version missing</span> <span class=\"key\">S001<");
        assertThat(console.get("/publish" + day, "Accept-Language", "ja").body())
                .contains("<li><span>台帳</span> </li>", "<li><span>版の欠落</span> <span class=\"key\">S001<");
        assertThat(console.page("/ledger?pipeline=odd"))
                .contains(
                        "<td>ledger</td><th scope=\"row\" class=\"key\">–</th><td><time>–</time></td>",
                        "<td>version missing</td><th scope=\"row\" class=\"key\">S001</th>");
    }

    @Test
    void aProfileIsShownFromItsTable() {
        Assumptions.assumeTrue(isThere("profiles"), "The profiles app has no tables yet.");
        sql.sql("insert into profiles (pipeline, key, revision, count, amount, visits_today, spend_this_week,"
                        + " last_time, zone, settings) values ('sales', 'G7', 3, 12, 9007199254740993.10, 0,"
                        + " 17.30, '2026-07-02 17:00Z', 'UTC', '1')")
                .update();

        assertThat(console.page("/profile?key=G7"))
                .contains("Visits today", "9,007,199,254,740,993.10", "17.30", "2026-07-02 17:00")
                .contains(">0</data>");
        assertThat(console.page("/profile?key=nobody")).contains("No row of the table is about this key");
    }

    @Test
    void anAddressWithoutAnAnswerSaysSoInThePagesOwnWords() {
        assertThat(console.get("/window?pipeline=sales&key=S001&start=yesterday", "Accept", "text/html")
                        .statusCode())
                .isEqualTo(400);
        assertThat(console.get("/nowhere", "Accept", "text/html").body()).contains("This address has no answer", "404");
    }

    @Test
    void anAppThatAnswersIsShownWithItsStateLagAndTopology() {
        assertThat(console.page("/health"))
                .contains("State RUNNING", ">1,234,567</data>", "read-&lt;sales&gt;", "step step-topic");
    }

    @Test
    void aProfileIsShownAsTheAppTellsItWithEveryDigit() {
        assertThat(console.page("/profile?key=" + encoded("G 7/&")))
                .contains("live, from the app", "9,007,199,254,740,993.10", "2026-07-02 17:00", ">0</data>");
        assertThat(console.page("/profile?key=G8")).contains("The profiles app does not know this key");
    }

    @Test
    void anAppThatIsAwayIsSaidToBe() {
        assertThat(console.page("/health"))
                .contains("does not answer")
                .contains("sales-3")
                .contains("idle");
    }

    @Test
    void aDatabaseThatIsAwayIsSaidToBeAndIsFoundAgain() {
        database.stop();
        try {
            HttpResponse<String> page = console.get("/");

            assertThat(page.statusCode()).isEqualTo(503);
            assertThat(page.body()).contains("PostgreSQL does not answer").contains("hx-trigger=\"every 5s\"");
            assertThat(console.get("/api/publishable?pipeline=sales&day=2026-07-01")
                            .statusCode())
                    .isEqualTo(503);
            assertThat(console.page("/health")).contains("does not answer");
            assertThat(console.get("/event").statusCode()).isEqualTo(200);
        } finally {
            database.restart();
        }
        await().untilAsserted(() -> assertThat(console.page("/")).contains("badge badge-final"));
    }

    @Test
    void missingTablesAreNotTakenForAMissingDatabase() {
        sql.sql("create schema if not exists empty").update();
        try (ConsoleServer other = ConsoleServer.start(database, "spring.datasource.hikari.schema=empty")) {
            assertThat(other.get("/").statusCode()).isEqualTo(503);
            assertThat(other.get("/ledger").body()).contains("Run the migrations in deploy/sql");
            assertThat(other.page("/health")).contains("tables are missing");
        }
    }

    @Test
    void anEmptyDatabaseIsNotAZero() {
        sql.sql("create schema if not exists bare").update();
        for (String table : List.of("totals", "exceptions", "ledger", "lateness", "pairs", "refused_changes")) {
            sql.sql("create table if not exists bare." + table + " (like public." + table + ")")
                    .update();
        }
        try (ConsoleServer other = ConsoleServer.start(database, "spring.datasource.hikari.schema=bare")) {
            assertThat(other.page("/")).contains("There are no totals yet").doesNotContain("<data");
            assertThat(other.page("/ledger")).contains("There is no ledger yet").doesNotContain("<data");
            assertThat(other.page("/pairs")).contains("There are no pairs yet").doesNotContain("<data");
            assertThat(other.page("/publish")).contains("There are no totals yet");
        }
    }

    private static List<String> missing(String day) {
        return JsonPath.read(
                console.get("/api/publishable?pipeline=sales&day=" + day).body(),
                "$.checks[?(@.status == 'missing')].check");
    }

    private static boolean isThere(String table) {
        return sql.sql("select to_regclass(?) is not null")
                .param(table)
                .query(Boolean.class)
                .single();
    }

    private static java.math.BigDecimal late(String day) {
        return sql.sql("select (select coalesce(sum(abs(delta)), 0) from totals where pipeline = 'sales' and version"
                        + " >= 2 and window_start >= (? || 'T00:00Z')::timestamptz and window_start < (? ||"
                        + " 'T00:00Z')::timestamptz + interval '1 day') + (select coalesce(sum(abs(amount)), 0)"
                        + " from exceptions where disposition = 'too-late' and event_time >= (? ||"
                        + " 'T00:00Z')::timestamptz and event_time < (? || 'T00:00Z')::timestamptz + interval '1"
                        + " day')")
                .params(day, day, day, day)
                .query(java.math.BigDecimal.class)
                .single();
    }

    private static List<String> rows(String page) {
        return java.util.regex.Pattern.compile("<tr id=\"w-([^\"]*)\"")
                .matcher(page)
                .results()
                .map(result -> result.group(1))
                .toList();
    }

    private static org.springframework.context.MessageSource texts() {
        var messages = new org.springframework.context.support.ResourceBundleMessageSource();
        messages.setBasename("console/messages");
        messages.setDefaultEncoding("UTF-8");
        return messages;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
