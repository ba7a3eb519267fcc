package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * The shipped settings that count searches and clicks read what the pairs app writes: a search has as many rows as it has
 * clicks, and one more if it was published as unmatched before one of them came.
 */
class PairsAsInputTest {

    private static final Instant TEN = Instant.parse("2026-07-01T10:00:00Z");
    private static final int MINUTE = 60_000;

    @TempDir
    Path state;

    private Totals searches;
    private Totals clicks;
    private final List<JsonNode> searchRows = new ArrayList<>();
    private final List<JsonNode> clickRows = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        searches = new Totals(state.resolve("searches"), ReadmeTest.shipped("apps/totals/settings/searches.yml"));
        clicks = new Totals(state.resolve("clicks"), ReadmeTest.shipped("apps/totals/settings/clicks.yml"));
    }

    @AfterEach
    void stop() {
        searches.close();
        clicks.close();
    }

    @Test
    void aSearchCountsOnceHoweverManyClicksItHas() {
        matched("s1", 1, "c1", 2, 1);
        matched("s1", 1, "c2", 3, 1);
        leftUnmatched("s2", 4);
        rightUnmatched("c9", 5);
        matched("later", 60, "c0", 60, 1);

        assertThat(current(searchRows())).containsEntry("left 10:00", 2L).containsEntry("right 10:00", 1L);
        assertThat(current(clickRows()))
                .containsEntry("matched 10:00", 2L)
                .containsEntry("left-unmatched 10:00", 1L)
                .containsEntry("right-unmatched 10:00", 1L);
    }

    @Test
    void aSearchThatWasUnmatchedFirstStaysOneSearchAndItsClickIsACorrection() {
        matched("s1", 1, "c1", 2, 1);
        leftUnmatched("s2", 4);
        matched("later", 60, "c0", 60, 1);
        assertThat(published(searchRows(), "left")).containsExactly("10:00 v1 2");
        assertThat(published(clickRows(), "matched")).containsExactly("10:00 v1 1");

        matched("s2", 4, "c2", 9, 2);

        assertThat(published(searchRows(), "left")).containsExactly("10:00 v1 2");
        assertThat(published(clickRows(), "matched")).containsExactly("10:00 v1 1", "10:00 v2 2");
        assertThat(searches.dispositions()).containsExactly("s2 duplicate");
        assertThat(clicks.dispositions()).containsExactly("c2 late");
    }

    @Test
    void aClickWhoseSearchCameLateCountsInTheTenMinutesOfTheSearch() {
        rightUnmatched("c1", 11);
        matched("later", 60, "c0", 60, 1);
        matched("s1", 9, "c1", 11, 2);

        assertThat(current(searchRows())).containsEntry("left 10:00", 1L).containsEntry("right 10:10", 1L);
        assertThat(current(clickRows())).containsEntry("matched 10:00", 1L);
    }

    @Test
    void idsOfSearchesAndClicksMayBeTheSame() {
        leftUnmatched("1", 1);
        rightUnmatched("1", 2);
        matched("2", 3, "1", 4, 1);
        matched("later", 60, "c0", 60, 1);

        assertThat(current(searchRows())).containsEntry("left 10:00", 2L).containsEntry("right 10:00", 1L);
        assertThat(current(clickRows())).containsEntry("matched 10:00", 1L);
        assertThat(searches.exceptions()).isEmpty();
        assertThat(clicks.exceptions()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whateverTheOrderOfTheRowsTheCountsAreThoseOfTheEvents(long seed) {
        Random random = new Random(seed);
        Map<String, Long> expectedSearches = new TreeMap<>();
        Map<String, Long> expectedClicks = new TreeMap<>();
        List<Runnable> rows = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            String search = "s" + i;
            int minute = random.nextInt(40);
            int count = random.nextInt(4);
            String window = " 10:" + (minute / 10) + "0";
            expectedSearches.merge("left" + window, 1L, Long::sum);
            boolean corrected = random.nextInt(4) == 0;
            if (count == 0 || corrected) {
                rows.add(() -> leftUnmatched(search, minute));
            }
            for (int k = 0; k < count; k++) {
                String click = search + "-c" + k;
                expectedClicks.merge("matched" + window, 1L, Long::sum);
                rows.add(() -> matched(search, minute, click, minute + 1, corrected ? 2 : 1));
            }
        }
        Collections.shuffle(rows, random);
        rows.forEach(Runnable::run);
        matched("later", 120, "c0", 120, 1);

        assertThat(current(searchRows())).containsAllEntriesOf(expectedSearches);
        assertThat(current(clickRows())).containsAllEntriesOf(expectedClicks);
        assertThat(searches.dispositions()).allMatch(row -> row.endsWith("duplicate") || row.endsWith("late"));
        assertThat(clicks.dispositions()).allMatch(row -> row.endsWith("late"));
    }

    private void matched(String search, int searched, String click, int clicked, int version) {
        row(search, click, version, "matched", time(searched), time(clicked), "left", search, time(searched), click);
    }

    private void leftUnmatched(String search, int searched) {
        row(search, "", 1, "left-unmatched", time(searched), null, "left", search, time(searched), search);
    }

    private void rightUnmatched(String click, int clicked) {
        row("", click, 1, "right-unmatched", null, time(clicked), "right", click, time(clicked), click);
    }

    private void row(
            String leftId,
            String rightId,
            int version,
            String status,
            String leftTime,
            String rightTime,
            String side,
            String eventId,
            String time,
            String partnerId) {
        String row =
                """
                {"pipeline":"search-clicks","key":"k","left_id":"%s","right_id":"%s","version":%d,"status":"%s",\
                "reason":null,"left_time":%s,"right_time":%s,"distance_millis":null,"left_event":"{}",\
                "right_event":null,"closed_by":null,"stream_time":"2026-07-01T10:00:00.000Z","cause_event_id":null,\
                "settings":"7f3a9c21","event_side":"%s","event_id":"%s","event_time":%s,"partner_id":"%s"}""".formatted(leftId, rightId, version, status, leftTime, rightTime, side, eventId, time, partnerId);
        searches.send(row);
        clicks.send(row);
    }

    /** A time so many minutes after ten, as JSON. */
    private static String time(int minute) {
        return '"' + TEN.plusMillis((long) minute * MINUTE).toString().replace("Z", ".000Z") + '"';
    }

    private List<JsonNode> searchRows() {
        searchRows.addAll(searches.rows());
        return searchRows;
    }

    private List<JsonNode> clickRows() {
        clickRows.addAll(clicks.rows());
        return clickRows;
    }

    /** The count of the highest version by key and window. */
    private static Map<String, Long> current(List<JsonNode> rows) {
        Map<String, Long> counts = new TreeMap<>();
        rows.forEach(row -> counts.put(
                row.get("key").asString() + " " + window(row), row.get("count").longValue()));
        return counts;
    }

    /** Finals and corrections of a key, but for the last window. */
    private static List<String> published(List<JsonNode> rows, String key) {
        return rows.stream()
                .filter(row -> row.get("key").asString().equals(key)
                        && row.get("version").intValue() > 0)
                .map(row -> window(row) + " v" + row.get("version") + " " + row.get("count"))
                .toList();
    }

    private static String window(JsonNode row) {
        return row.get("window_start").asString().substring(11, 16);
    }
}
