package dev.tidemark.enrich;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What the app promises, with activities and the plans of their customers; the grace is five minutes. */
class EnrichTopologyTest {

    private static final String NOTHING = "missing: customers has nothing for its key";

    @TempDir
    Path directory;

    @Nested
    class AsOfEventTime {

        @Test
        void anActivityGetsThePlanOfItsTimeAlthoughTheTableSaysOtherwiseByNow() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "basic", "09:30:00");
                app.customer("C1", "gold", "10:05:00");
                app.activity("A1", "C1", "10:02:00");
                app.activity("A2", "C1", "10:06:00");
                app.clock("10:12:00");

                assertThat(app.published()).containsExactly("A1 v1 basic@09:30:00", "A2 v1 gold@10:05:00");
            }
        }

        @Test
        void aPlanIsValidFromItsFirstMillisecondOn() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "basic", "09:30:00");
                app.customer("C1", "gold", "10:00:00");
                app.activity("before", "C1", "09:59:59.999");
                app.activity("at", "C1", "10:00:00.000");
                app.clock("10:06:00");

                assertThat(app.published()).containsExactly("before v1 basic@09:30:00", "at v1 gold@10:00:00");
            }
        }

        @Test
        void anOlderUpdateThatComesAfterANewerOneDoesNotOverwriteIt() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "gold", "10:00:00");
                app.customer("C1", "basic", "09:57:00");
                app.activity("A1", "C1", "10:01:00");
                app.activity("A2", "C1", "09:58:00");
                app.clock("10:12:00");

                assertThat(app.published()).containsExactly("A2 v1 basic@09:57:00", "A1 v1 gold@10:00:00");
            }
        }

        @Test
        void ofTwoUpdatesOfOneTimeTheOneThatCameLastCounts() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "basic", "10:00:00");
                app.customer("C1", "gold", "10:00:00");
                app.activity("A1", "C1", "10:00:00");
                app.clock("10:12:00");

                assertThat(app.published()).containsExactly("A1 v1 gold@10:00:00");
            }
        }

        @Test
        void anActivityWaitsForUpdatesUntilItsSecondIsClosed() {
            try (Enrich app = new Enrich(directory)) {
                app.clock("10:00:00");
                app.activity("A1", "C1", "10:00:05.700");
                app.customer("C1", "gold", "10:00:05.700");
                app.clock("10:05:05.999");
                assertThat(app.published()).isEmpty();

                app.clock("10:05:06");
                assertThat(app.published()).containsExactly("A1 v1 gold@10:00:05.700Z");
            }
        }

        @Test
        void anUpdateThatIsAtMostTheGraceBehindIsInTime() {
            try (Enrich app = new Enrich(directory)) {
                app.clock("10:00:00");
                app.activity("A1", "C1", "10:00:00");
                app.clock("10:05:00");
                app.customer("C1", "gold", "10:00:00");
                app.clock("10:06:00");

                assertThat(app.published()).containsExactly("A1 v1 gold@10:00:00");
                assertThat(app.dispositions()).isEmpty();
            }
        }

        @Test
        void withoutATimeOfItsOwnAnUpdateIsValidFromItsTimestampOn() {
            try (Enrich app = Enrich.unstarted(directory, "table.event-time=")) {
                app.customers("C1", "{\"name\":\"N\",\"plan\":\"gold\"}", "10:03:00");
                app.customers("C1", "{\"name\":\"N\",\"plan\":\"basic\"}", "10:00:00");
                app.activity("A1", "C1", "10:02:59.999");
                app.activity("A2", "C1", "10:03:00");
                app.endInput();

                assertThat(app.published()).containsExactly("A1 v1 basic@10:00:00", "A2 v1 gold@10:03:00");
            }
        }

        @Test
        void theKeyMayStandInTheValueButADeletionHasThatOfItsRecord() {
            try (Enrich app = Enrich.unstarted(directory, "table.key=/customer_id")) {
                app.customers("row 17", Enrich.customerJson("C1", "gold", "09:30:00"));
                app.customers("C1", "{\"name\":\"N\",\"plan\":\"plus\",\"updated_at\":\"2026-07-01T09:31:00Z\"}");
                app.customers("row 18", Enrich.customerJson("C2", "basic", "09:30:00"));
                app.delete("C2", "09:40:00");
                app.delete("row 17", "09:40:00");
                app.activity("A1", "C1", "10:00:00");
                app.activity("A2", "C2", "10:00:00");
                app.endInput();

                assertThat(app.published()).containsExactlyInAnyOrder("A1 v1 gold@09:30:00", "A2 v1 " + NOTHING);
                assertThat(app.exceptions()).singleElement().satisfies(row -> assertThat(
                                row.get("reason").asString())
                        .isEqualTo("/customer_id is missing"));
            }
        }

        @ParameterizedTest
        @ValueSource(longs = {1, 2})
        void itDoesNotMatterInWhichOrderTheTopicsAreRead(long seed) {
            try (Enrich app = Enrich.unstarted(directory)) {
                List<Runnable> all = IntStream.range(0, 90)
                        .<Runnable>mapToObj(i -> i % 3 == 0
                                ? () -> app.customer("C" + i, "gold", "08:00:00")
                                : () -> app.activity("A" + i, "C" + (i - i % 3), "10:00:" + (10 + i % 50)))
                        .collect(Collectors.toList());
                Collections.shuffle(all, new Random(seed));
                all.forEach(Runnable::run);
                app.clock("11:00:00");

                assertThat(app.published()).hasSize(60).allMatch(row -> row.endsWith(" v1 gold@08:00:00"));
            }
        }
    }

    @Nested
    class Missing {

        @Test
        void anActivityWithoutAProfileIsMissingOnceWhenItsTimeIsOver() {
            try (Enrich app = new Enrich(directory)) {
                app.activity("A1", "C1", "10:00:00");
                app.clock("10:05:00.999");
                assertThat(app.published()).isEmpty();

                app.clock("10:05:01");
                app.clock("11:00:00");
                assertThat(app.published()).containsExactly("A1 v1 " + NOTHING);
            }
        }

        @Test
        void itsReasonNamesTheLatestProfileIfThereIsOne() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "gold", "10:00:00.001");
                app.activity("A1", "C1", "10:00:00");
                app.clock("10:06:00");

                assertThat(app.published())
                        .containsExactly("A1 v1 missing: customers has nothing for its key as of that time; the latest"
                                + " is of 2026-07-01T10:00:00.001Z");
            }
        }

        @Test
        void aRecordWithoutAValueDeletesFromItsTimestampOn() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "gold", "09:30:00");
                app.delete("C1", "10:00:00");
                app.activity("A1", "C1", "09:59:59.999");
                app.activity("A2", "C1", "10:00:00");
                app.customer("C1", "plus", "10:01:00");
                app.activity("A3", "C1", "10:01:00");
                app.clock("10:12:00");

                assertThat(app.published())
                        .containsExactly(
                                "A1 v1 gold@09:30:00",
                                "A2 v1 missing: customers has nothing for its key as of that time; the latest is of"
                                        + " 2026-07-01T10:01:00.000Z",
                                "A3 v1 plus@10:01:00");
            }
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "null|the value is not a JSON object",
                    "''|the value is empty",
                    "' '|the value is only white space",
                    "[]|the value is not a JSON object",
                    "{\"name\":|the JSON object is cut off at /name",
                    "{\"name\":\"N\"}|/updated_at is missing",
                    "{\"updated_at\":\"noon\"}|/updated_at is \"noon\", but a time with offset such as"
                            + " 2026-07-01T10:02:00Z is expected",
                })
        void whatCannotBeReadDeletesNothingAndIsADeadLetter(String value, String reason) {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "gold", "09:30:00");
                app.customers("C1", value);
                app.activity("A1", "C1", "10:00:00");
                app.clock("10:06:00");

                assertThat(app.published()).containsExactly("A1 v1 gold@09:30:00");
                assertThat(app.deadLetters()).containsExactly(value);
                assertThat(app.exceptions()).singleElement().satisfies(row -> {
                    assertThat(row.get("source_topic").asString()).isEqualTo("customers");
                    assertThat(row.get("disposition").asString()).isEqualTo("malformed");
                    assertThat(row.get("reason").asString()).isEqualTo(reason);
                });
            }
        }

        @Test
        void aRecordOfTheTableWithoutAKeyIsADeadLetter() {
            try (Enrich app = new Enrich(directory)) {
                app.customers(null, Enrich.customerJson("C1", "gold", "09:30:00"));
                app.customers("", Enrich.customerJson("C1", "gold", "09:30:00"));

                assertThat(app.exceptions())
                        .extracting(row -> row.get("reason").asString())
                        .containsExactly("the record has no key", "the record key is blank");
                assertThat(app.deadLetters()).hasSize(2);
            }
        }

        @Test
        void keysThatLookLikeNothingAreKeys() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("null", "gold", "09:30:00");
                app.customer("é-Ω-日本", "plus", "09:30:00");
                app.activity("A1", "null", "10:00:00");
                app.activity("A2", "é-Ω-日本", "10:00:01");
                app.clock("10:06:00");

                assertThat(app.published()).containsExactly("A1 v1 gold@09:30:00", "A2 v1 plus@09:30:00");
            }
        }
    }

    @Nested
    class CameLate {

        @Test
        void aLateActivityIsLookedUpAtOnce() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "basic", "09:30:00");
                app.customer("C1", "gold", "10:00:00");
                app.clock("11:00:00");
                app.activity("A1", "C1", "09:45:00");

                assertThat(app.published()).containsExactly("A1 v1 basic@09:30:00");
                assertThat(app.dispositions())
                        .containsExactly("A1 late v1: it was looked up at once, because updates of its time were not"
                                + " waited for any longer when the stream time was 2026-07-01T11:00:00.000Z");
            }
        }

        @Test
        void anActivityFromBeforeTheHistoryIsTooLate() {
            try (Enrich app = new Enrich(directory, "table.history=1h")) {
                app.customer("C1", "basic", "09:30:00");
                app.clock("12:00:00");
                app.activity("A1", "C1", "10:54:59.999");
                app.activity("A2", "C1", "10:55:00");

                assertThat(app.published()).containsExactly("A2 v1 basic@09:30:00");
                assertThat(app.dispositions())
                        .startsWith("A1 too-late: what customers said then may have been forgotten, because 1h of"
                                + " history are kept")
                        .hasSize(2);
            }
        }

        @Test
        void aLateUpdateIsUsedFromThenOnAndChangesNoRow() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "basic", "09:30:00");
                app.activity("A1", "C1", "10:00:00");
                app.clock("10:06:00");
                assertThat(app.published()).containsExactly("A1 v1 basic@09:30:00");

                app.customer("C1", "gold", "09:59:00");
                app.activity("A2", "C1", "10:06:00");
                app.clock("10:12:00");
                assertThat(app.published()).containsExactly("A2 v1 gold@09:59:00");
                assertThat(app.dispositions())
                        .containsExactly("C1 late: events of its time may have been published without it; it is used"
                                + " from now on");
            }
        }

        /** A copy of a table in the order of its keys has records of all ages. */
        @Test
        void anUpdateThatIsOlderThanAllHistoryCountsIfItIsAllThatIsKnown() {
            try (Enrich app = new Enrich(directory, "table.history=1h")) {
                app.clock("12:00:00");
                app.customer("C1", "gold", "2019-03-01T00:00:00Z");
                app.activity("A1", "C1", "10:55:00");
                app.activity("A2", "C1", "12:00:01");
                app.clock("12:06:00");

                assertThat(app.published())
                        .containsExactly("A1 v1 gold@2019-03-01T00:00:00", "A2 v1 gold@2019-03-01T00:00:00");
            }
        }

        @Test
        void anUpdateThatIsOlderThanAllHistoryChangesNothingIfThereIsANewerOne() {
            try (Enrich app = new Enrich(directory, "table.history=1h")) {
                app.customer("C1", "gold", "09:10:00");
                app.clock("12:00:00");
                app.customer("C1", "basic", "2019-03-01T00:00:00Z");
                app.activity("A1", "C1", "12:00:01");
                app.clock("12:06:00");

                assertThat(app.published()).containsExactly("A1 v1 gold@09:10:00");
                assertThat(app.dispositions())
                        .containsExactly("C1 too-late: the next record of its key is of a time that is more than 1h ago"
                                + " as well");
            }
        }

        @Test
        void theSameIdUnderAnotherKeyIsAnotherActivityUnlessIdsAreGlobal() {
            try (Enrich app = new Enrich(directory.resolve("key"))) {
                app.activity("A1", "C1", "10:00:00");
                app.activity("A1", "C2", "10:00:00");
                app.clock("10:06:00");

                assertThat(app.published()).containsExactly("A1 v1 " + NOTHING, "A1 v1 " + NOTHING);
                assertThat(app.dispositions()).isEmpty();
            }
            try (Enrich app = new Enrich(directory.resolve("global"), "deduplicate-scope=global")) {
                app.customer("C1", "gold", "09:30:00");
                app.customer("C2", "basic", "09:30:00");
                app.activity("A1", "C1", "10:00:00");
                app.activity("A1", "C2", "10:00:00");
                app.activity("A1", "C1", "10:00:00");
                app.endInput();

                assertThat(app.published()).containsExactly("A1 v1 gold@09:30:00");
                assertThat(app.dispositions())
                        .containsExactly(
                                "A1 conflicting: another event with this id but another content was accepted at"
                                        + " activities partition 0 offset 1",
                                "A1 duplicate: the same event was accepted at activities partition 0 offset 1");
            }
        }

        @Test
        void duplicatesConflictsAndTheFutureAreRefusedAsEverywhere() {
            try (Enrich app = new Enrich(directory)) {
                app.activity("A1", "C1", "10:00:00");
                app.activity("A1", "C1", "10:00:00");
                app.activity("A1", "C1", "10:00:01");
                app.activity("A2", "C1", "2035-01-01T00:00:00Z");
                app.customer("C1", "gold", "2035-01-01T00:00:00Z");
                app.clock("10:06:00");

                assertThat(app.published()).containsExactly("A1 v1 " + NOTHING);
                assertThat(app.dispositions())
                        .extracting(text -> text.replaceFirst(":.*", ""))
                        .containsExactlyInAnyOrder("A1 duplicate", "A1 conflicting", "A2 future", "C1 future");
            }
        }
    }

    @Nested
    class ReEnriched {

        @Test
        void aMissingActivityGetsItsProfileAsVersionTwoOnce() {
            try (Enrich app = new Enrich(directory, "re-enrich-until=1h")) {
                app.activity("A1", "C1", "10:00:00");
                app.activity("A2", "C1", "10:00:30");
                app.clock("10:10:00");
                app.published();

                app.customer("C1", "gold", "10:00:10");
                app.customer("C1", "gold", "10:00:10");
                app.customer("C1", "plus", "10:00:20");
                assertThat(app.published())
                        .containsExactly("A2 v2 gold@10:00:10: what customers says of it from"
                                + " 2026-07-01T10:00:10.000Z on came later");

                app.customer("C1", "basic", "09:00:00");
                assertThat(app.published())
                        .containsExactly("A1 v2 basic@09:00:00: what customers says of it from"
                                + " 2026-07-01T09:00:00.000Z on came later");
            }
        }

        @Test
        void aProfileOfALaterTimeDoesNotComplete() {
            try (Enrich app = new Enrich(directory, "re-enrich-until=1h")) {
                app.activity("A1", "C1", "10:00:00");
                app.clock("10:10:00");
                app.published();
                app.customer("C1", "gold", "10:00:00.001");
                app.delete("C1", "09:00:00");

                assertThat(app.published()).isEmpty();
            }
        }

        @Test
        void anActivityIsRememberedUntilTheEndOfItsTime() {
            try (Enrich app = new Enrich(directory, "re-enrich-until=1h")) {
                app.activity("A1", "C1", "10:00:00");
                app.activity("A2", "C2", "10:00:00");
                app.clock("11:05:00");
                app.published();
                app.customer("C1", "gold", "09:30:00");
                assertThat(app.published()).hasSize(1);

                app.clock("11:05:01");
                app.customer("C2", "gold", "09:30:00");
                assertThat(app.published()).isEmpty();
            }
        }

        @Test
        void itIsOffByDefault() {
            try (Enrich app = new Enrich(directory)) {
                app.activity("A1", "C1", "10:00:00");
                app.clock("10:10:00");
                app.published();
                app.customer("C1", "gold", "09:30:00");

                assertThat(app.published()).isEmpty();
            }
        }
    }

    @Nested
    class TimeGoesOn {

        @Test
        void aQuietTableIsNotWaitedForLongerThanSaid() {
            try (Enrich app = Enrich.unstarted(directory, "idle-after=30s", "grace=0s")) {
                app.customer("C1", "gold", "09:00:00");
                app.activity("A1", "C1", "10:00:00");
                app.quiet(Duration.ofSeconds(20));
                app.activity("A2", "C1", "10:00:20");
                assertThat(app.published()).isEmpty();

                app.quiet(Duration.ofSeconds(11));
                assertThat(app.published()).containsExactly("A1 v1 gold@09:00:00");
            }
        }

        @Test
        void whenAllIsQuietTheLastActivitiesComeOut() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "gold", "09:00:00");
                app.activity("A1", "C1", "10:00:00");
                app.quiet(Duration.ofMinutes(6));

                assertThat(app.published()).containsExactly("A1 v1 gold@09:00:00");
            }
        }

        /** More than is handed out at once waits for the table, so the clock follows it in steps. */
        @Test
        void anActivityThatComesWhileTheClockFollowsIsPublishedOnce() {
            try (Enrich app = new Enrich(directory)) {
                for (int i = 0; i < 10_000; i++) {
                    app.activity("A" + i, "C1", "10:00:00.000");
                }
                app.activity("far", "C1", "12:00:00");
                app.customer("C2", "gold", "12:00:00");
                app.activity("X", "C2", "11:52:00");
                app.quiet(Duration.ofSeconds(1));
                app.endInput();

                assertThat(app.published())
                        .hasSize(10_002)
                        .filteredOn(row -> row.startsWith("X "))
                        .hasSize(1);
                assertThat(app.ledger().get("activities").get("held").longValue())
                        .isZero();
            }
        }

        @Test
        void theEndOfBothTopicsEndsTheWait() {
            try (Enrich app = new Enrich(directory)) {
                app.activity("A1", "C1", "10:00:00");
                app.customer("C1", "gold", "09:30:00");
                app.endInput();

                assertThat(app.published()).containsExactly("A1 v1 gold@09:30:00");
            }
        }
    }

    @Nested
    class Forgotten {

        @Test
        void ofWhatWasSaidBeforeHistoryTheLastStays() {
            try (Enrich app = new Enrich(directory, "table.history=1h")) {
                for (int minute = 10; minute < 60; minute++) {
                    app.customer("C1", "plan" + minute, "09:" + minute + ":00");
                }
                app.clock("09:59:30");
                assertThat(kept(app, EnrichEvents.PROFILES, "C1")).isEqualTo(50);

                app.clock("12:00:00");
                assertThat(kept(app, EnrichEvents.PROFILES, "C1")).isEqualTo(1);
                app.activity("A1", "C1", "12:00:00");
                app.clock("12:06:00");
                assertThat(app.published()).containsExactly("A1 v1 plan59@09:59:00");
            }
        }

        @Test
        void ofWhoWasDeletedBeforeHistoryNothingStays() {
            try (Enrich app = new Enrich(directory, "table.history=1h")) {
                app.customer("C1", "basic", "09:01:00");
                app.delete("C1", "09:02:00");
                app.clock("10:07:00");
                assertThat(kept(app, EnrichEvents.PROFILES, "C1")).isEqualTo(2);

                app.clock("10:07:01");
                assertThat(kept(app, EnrichEvents.PROFILES, "C1")).isZero();
            }
        }

        @Test
        void missingActivitiesStayAsLongAsTheyAreToBeRemembered() {
            try (Enrich app = new Enrich(directory, "re-enrich-until=1h")) {
                app.activity("A1", "C1", "10:00:00");
                app.clock("10:30:00");
                assertThat(kept(app, EnrichEvents.MISSING, "C1")).isEqualTo(1);

                app.clock("12:00:00");
                assertThat(kept(app, EnrichEvents.MISSING, "C1")).isZero();
            }
        }

        @Test
        void moreThanIsForgottenAtOnceIsForgottenWithWhatFollows() {
            try (Enrich app = new Enrich(directory, "table.history=1h", "re-enrich-until=1h")) {
                for (int i = 0; i < 2_500; i++) {
                    app.customer("C1", "plan", "09:%02d:%02d.%03d".formatted(i / 60 % 60, i % 60, i % 1_000));
                    app.activity("A" + i, "C2", "09:%02d:%02d.%03d".formatted(i / 60 % 60, i % 60, i % 1_000));
                }
                app.clock("10:30:00");
                assertThat(kept(app, EnrichEvents.MISSING, "C2")).isGreaterThan(1_000);

                app.clock("15:00:00");
                app.clock("15:00:00");
                assertThat(kept(app, EnrichEvents.PROFILES, "C1")).isEqualTo(1);
                assertThat(kept(app, EnrichEvents.MISSING, "C2")).isZero();
            }
        }

        @Test
        void whatIsOverGetsNoVersionTwoAlsoBeforeItIsForgotten() {
            try (Enrich app = new Enrich(directory, "re-enrich-until=1h")) {
                for (int i = 0; i < 2_500; i++) {
                    app.activity("A" + i, "C1", "09:%02d:%02d.%03d".formatted(i / 60 % 60, i % 60, i % 1_000));
                }
                app.clock("10:00:00");
                app.published();

                app.activity("leap", "C2", "15:00:00");
                app.customer("tick", "basic", "15:00:00");
                assertThat(kept(app, EnrichEvents.MISSING, "C1")).isGreaterThan(0);
                app.customer("C1", "gold", "09:00:00");
                assertThat(app.published()).noneMatch(row -> row.contains(" v2 "));
            }
        }

        /** How much a store keeps of a customer, beside its queue. */
        private static long kept(Enrich app, String store, String customer) {
            KeyValueStore<Bytes, byte[]> entries = app.fixture().driver().getKeyValueStore(store);
            long count = 0;
            try (KeyValueIterator<Bytes, byte[]> all = entries.all()) {
                while (all.hasNext()) {
                    String key = new String(all.next().key.get(), StandardCharsets.UTF_8);
                    count += key.startsWith(customer) ? 1 : 0;
                }
            }
            return count;
        }
    }

    @Nested
    class Explained {

        @Test
        void aRowSaysWhereItsEventAndItsProfileLie() {
            try (Enrich app = Enrich.unstarted(directory)) {
                app.customers(
                        "C1",
                        "{\"name\" : \"Ü \\u00e9\",\"x\":{\"plan\":0},\"plan\":[1.50, null],"
                                + "\"updated_at\":\"2026-07-01T09:30:00Z\"}");
                app.activities("{\"activity_id\":\"A1\", \"customer_id\":\"C1\",\"at\":\"2026-07-01T10:00:00Z\"}");
                app.endInput();
                List<TestRecord<byte[], byte[]>> records = app.fixture().read("what-they-did-enriched");

                assertThat(records).hasSize(1);
                assertThat(new String(records.get(0).key(), StandardCharsets.UTF_8))
                        .isEqualTo("{\"pipeline\":\"what-they-did\",\"key\":\"C1\",\"event_id\":\"A1\",\"version\":1}");
                assertThat(new String(records.get(0).value(), StandardCharsets.UTF_8))
                        .isEqualTo("{\"pipeline\":\"what-they-did\",\"key\":\"C1\",\"event_id\":\"A1\",\"version\":1,"
                                + "\"status\":\"enriched\",\"reason\":null,\"event_time\":\"2026-07-01T10:00:00.000Z\","
                                + "\"event\":\"{\\\"activity_id\\\":\\\"A1\\\", \\\"customer_id\\\":\\\"C1\\\",\\\"at\\\":"
                                + "\\\"2026-07-01T10:00:00Z\\\"}\","
                                + "\"profile\":\"{\\\"name\\\":\\\"Ü \\\\u00e9\\\",\\\"plan\\\":[1.50, null]}\","
                                + "\"profile_time\":\"2026-07-01T09:30:00.000Z\","
                                + "\"source_topic\":\"activities\",\"source_partition\":0,\"source_offset\":0,"
                                + "\"table_topic\":\"customers\",\"table_partition\":0,\"table_offset\":0,"
                                + "\"settings\":\"" + Enrich.settings().fingerprint() + "\"}");
            }
        }

        @Test
        void theLedgerAccountsForTheRecordsOfBothTopics() {
            try (Enrich app = new Enrich(directory)) {
                app.customer("C1", "gold", "10:00:00");
                app.customers("C1", "null");
                app.activity("A1", "C1", "10:00:00");
                app.activity("A1", "C1", "10:00:00");
                app.clock("11:00:00");
                app.activity("A2", "C1", "10:00:00");
                app.customer("C1", "plus", "10:00:00");
                Map<String, JsonNode> ledger = app.ledger();

                assertThat(counts(ledger.get("activities"))).isEqualTo("5 received, 3 counted, 1 late, 1 duplicate");
                assertThat(counts(ledger.get("customers"))).isEqualTo("5 received, 3 counted, 1 late, 1 malformed");
            }
        }

        private static String counts(JsonNode row) {
            return List.of("received", "counted", "late", "too_late", "duplicate", "malformed", "held").stream()
                    .filter(name -> row.get(name).intValue() > 0)
                    .map(name -> row.get(name) + " " + name)
                    .collect(Collectors.joining(", "));
        }
    }

    @Nested
    class Broadcast {

        private static final String[] BROADCAST = {"table.broadcast=true", "input.key=/store", "table.event-time="};

        @Test
        void anActivityGetsWhatTheWholeTableSaysWhenItComes() {
            try (Enrich app = Enrich.unstarted(directory, BROADCAST)) {
                app.customers("S1", "{\"name\":\"Centre\",\"plan\":\"a\"}");
                activity(app, "A1", "S1");
                app.customers("S1", "{\"name\":\"Centre\",\"plan\":\"b\"}");
                activity(app, "A2", "S1");
                app.customers("S1", null);
                activity(app, "A3", "S1");

                assertThat(app.published()).containsExactly("A1 v1 a", "A2 v1 b", "A3 v1 " + NOTHING);
            }
        }

        @Test
        void aRecordThatCannotBeReadIsSaidWhereItIsNeeded() {
            try (Enrich app = Enrich.unstarted(directory, BROADCAST)) {
                app.customers("S1", "null");
                activity(app, "A1", "S1");

                assertThat(app.published())
                        .containsExactly("A1 v1 missing: the record of its key in customers cannot be read: the value"
                                + " is not a JSON object");
            }
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "''|the value is empty",
                    "' '|the value is only white space",
                    "[]|the value is not a JSON object",
                })
        void neitherAnEmptyValueNorOneThatIsNoObjectDeletes(String value, String reason) {
            try (Enrich app = Enrich.unstarted(directory, BROADCAST)) {
                app.customers("S1", value);
                activity(app, "A1", "S1");

                assertThat(app.published())
                        .containsExactly("A1 v1 missing: the record of its key in customers cannot be read: " + reason);
                assertThat(app.dispositions()).isEmpty();
            }
        }

        @Test
        void whatIsLateTooLateThereTwiceOrUnreadableIsToldAsEverywhere() {
            try (Enrich app =
                    Enrich.unstarted(directory, "table.broadcast=true", "input.key=/store", "table.history=1h")) {
                app.customers("S1", "{\"name\":\"Centre\",\"plan\":\"a\",\"updated_at\":\"2026-07-01T09:00:00Z\"}");
                activity(app, "A1", "S1", "12:00:00");
                activity(app, "A1", "S1", "12:00:00");
                activity(app, "A1", "S1", "12:00:01");
                activity(app, "A2", "S1", "11:54:00");
                activity(app, "A3", "S1", "10:54:00");
                app.activities("null");
                activity(app, "A4", "S1", "2035-01-01T00:00:00");

                assertThat(app.published()).containsExactly("A1 v1 a@09:00:00", "A2 v1 a@09:00:00");
                assertThat(app.dispositions())
                        .extracting(text -> text.replaceFirst(":.*", ""))
                        .containsExactly(
                                "A1 duplicate",
                                "A1 conflicting",
                                "A2 late v1",
                                "A3 too-late",
                                " malformed",
                                "A4 future");
                JsonNode ledger = app.ledger().get("activities");
                assertThat(Explained.counts(ledger))
                        .isEqualTo("7 received, 1 counted, 1 late, 1 too_late, 1 duplicate, 1 malformed");
                assertThat(ledger.get("conflicting").intValue()
                                + ledger.get("future").intValue())
                        .isEqualTo(2);
            }
        }

        private static void activity(Enrich app, String id, String store) {
            activity(app, id, store, "10:00:00");
        }

        private static void activity(Enrich app, String id, String store, String time) {
            app.activities("{\"activity_id\":\"%s\",\"store\":\"%s\",\"at\":\"%s\"}"
                    .formatted(id, store, (time.contains("T") ? time : "2026-07-01T" + time) + "Z"));
        }
    }
}
