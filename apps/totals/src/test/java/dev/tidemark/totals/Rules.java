package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.Rows;
import dev.tidemark.totals.Expected.Cause;
import dev.tidemark.totals.Expected.Closing;
import dev.tidemark.totals.Expected.Late;
import dev.tidemark.totals.Expected.Settled;
import dev.tidemark.totals.Expected.Sum;
import dev.tidemark.totals.Expected.Window;
import dev.tidemark.totals.Step.Sale;
import dev.tidemark.totals.Transcript.Commit;
import dev.tidemark.totals.Transcript.Received;
import dev.tidemark.totals.Transcript.Row;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What holds for every {@link Run}. Each rule looks at what went in and what came out, and at nothing inside. */
final class Rules {

    /**
     * A rule.
     *
     * @param name what it says
     * @param judge fails with an {@link AssertionError} if it does not hold
     */
    record Rule(String name, Consumer<Transcript> judge) {}

    static final List<Rule> ALL = List.of(
            new Rule("the latest version is the batch sum over distinct accepted events", Rules::latestIsBatchSum),
            new Rule("versions rise by one, from 1 or 2", Rules::versionsRiseByOne),
            new Rule("no key is published twice", Rules::noKeyTwice),
            new Rule("a version comes with the commit in which it is due", Rules::versionsComeInTime),
            new Rule("a final contains what came on time", Rules::finalsContainWhatCameOnTime),
            new Rule(
                    "a correction builds on the version before and names its causes",
                    Rules::correctionsNameTheirCauses),
            new Rule("a version says what closed its window", Rules::versionsSayWhatClosed),
            new Rule("provisional rows show the open windows, and no closed one", Rules::provisionalsShowOpenWindows),
            new Rule("each record has the disposition that the rules give it", Rules::dispositionsAreRight),
            new Rule("the ledger balances at every commit", Rules::ledgerBalances),
            new Rule("refused records are parked unchanged", Rules::refusedAreParked));

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private Rules() {}

    /** The names of the rules that are broken, each with what is wrong; empty if all hold. */
    static String broken(Transcript transcript) {
        StringBuilder broken = new StringBuilder();
        for (Rule rule : ALL) {
            try {
                rule.judge().accept(transcript);
            } catch (AssertionError e) {
                broken.append("\nBROKEN: ").append(rule.name()).append('\n').append(e.getMessage());
            }
        }
        return broken.toString();
    }

    private static void latestIsBatchSum(Transcript transcript) {
        Map<Window, Sum> owed = new TreeMap<>();
        Expected expected = transcript.expected();
        expected.published().forEach(window -> owed.put(window, Sum.of(expected.latest(window))));
        Map<Window, Sum> latest = new TreeMap<>();
        transcript.published().forEach(row -> latest.put(row.window(), sum(row)));
        assertThat(latest).isEqualTo(owed);
    }

    private static Sum sum(Row row) {
        return new Sum(
                row.decimal("total"),
                row.json().get("count").intValue(),
                row.decimal("minimum"),
                row.decimal("maximum"));
    }

    private static void versionsRiseByOne(Transcript transcript) {
        Map<Window, Integer> latest = new HashMap<>();
        transcript.published().forEach(row -> {
            Integer before = latest.put(row.window(), row.version());
            assertThat(row.version())
                    .as("version of %s after %s", row.window(), before)
                    .isBetween(before == null ? 1 : before + 1, before == null ? 2 : before + 1);
        });
    }

    /** Provisional rows and the ledger are overwritten in place; all else is inserted once. */
    private static void noKeyTwice(Transcript transcript) {
        assertThat(transcript.published().map(row -> row.window() + " v" + row.version()))
                .doesNotHaveDuplicates();
        assertThat(transcript.exceptions().map(row -> row.get("source_partition") + " " + row.get("source_offset")))
                .doesNotHaveDuplicates();
    }

    private static void versionsComeInTime(Transcript transcript) {
        Set<String> published = new TreeSet<>();
        for (Commit commit : transcript.commits()) {
            commit.rows().stream()
                    .filter(Row::isPublished)
                    .forEach(row -> published.add(row.window() + " v" + row.version()));
            assertThat(published).isEqualTo(owedVersions(commit.expected()));
        }
    }

    private static Set<String> owedVersions(Expected expected) {
        Set<String> owed = new TreeSet<>();
        expected.finals().forEach(window -> owed.add(window + " v1"));
        for (Window window : expected.published()) {
            int latest = 1 + expected.corrections(window).size();
            for (int version = 2; version <= latest; version++) {
                owed.add(window + " v" + version);
            }
        }
        return owed;
    }

    private static void finalsContainWhatCameOnTime(Transcript transcript) {
        Expected expected = transcript.expected();
        transcript.published().filter(row -> row.version() == 1).forEach(row -> assertThat(sum(row))
                .as("final of %s", row.window())
                .isEqualTo(Sum.of(expected.counted(row.window()))));
    }

    private static void correctionsNameTheirCauses(Transcript transcript) {
        Map<Window, BigDecimal> totals = new HashMap<>();
        Map<Window, List<String>> causes = new TreeMap<>();
        transcript.published().forEach(row -> {
            if (row.version() > 1) {
                BigDecimal before = totals.getOrDefault(row.window(), new BigDecimal("0.00"));
                assertThat(row.decimal("previous_total"))
                        .as("%s v%s", row.window(), row.version())
                        .isEqualTo(before);
                assertThat(row.decimal("total"))
                        .as("%s v%s", row.window(), row.version())
                        .isEqualTo(before.add(row.decimal("delta")));
                causes.computeIfAbsent(row.window(), window -> new ArrayList<>())
                        .add(row.json().get("cause_count") + ": " + row.text("cause_event_ids"));
            }
            totals.put(row.window(), row.decimal("total"));
        });
        assertThat(causes).isEqualTo(owedCauses(transcript.expected()));
    }

    /** At most ten are named. */
    private static Map<Window, List<String>> owedCauses(Expected expected) {
        Map<Window, List<String>> owed = new TreeMap<>();
        for (Window window : expected.published()) {
            for (List<Late> sales : expected.corrections(window)) {
                String ids = sales.stream()
                        .limit(10)
                        .map(late -> '"' + late.sale().id() + '"')
                        .collect(Collectors.joining(",", "[", "]"));
                owed.computeIfAbsent(window, w -> new ArrayList<>()).add(sales.size() + ": " + ids);
            }
        }
        return owed;
    }

    private static void versionsSayWhatClosed(Transcript transcript) {
        Expected expected = transcript.expected();
        transcript.published().forEach(row -> assertThat(row.text("closed_by") + " at " + row.text("stream_time"))
                .as("%s v%s", row.window(), row.version())
                .isEqualTo(owedClosing(expected, row)));
    }

    private static String owedClosing(Expected expected, Row row) {
        Closing closing = expected.closing(row.window().span());
        List<List<Late>> corrections = expected.corrections(row.window());
        if (row.version() == 1 ? closing == null : row.version() - 2 >= corrections.size()) {
            return "no such version";
        }
        long clock = row.version() == 1
                ? closing.clock()
                : lastOf(corrections.get(row.version() - 2)).clock();
        Cause cause = closing == null ? Cause.END_OF_INPUT : closing.cause();
        return cause.label + " at " + TIME.format(Instant.ofEpochMilli(clock));
    }

    private static Late lastOf(List<Late> sales) {
        return sales.get(sales.size() - 1);
    }

    private static void provisionalsShowOpenWindows(Transcript transcript) {
        Map<Window, Sum> provisional = new TreeMap<>();
        Set<Window> published = new HashSet<>();
        for (Commit commit : transcript.commits()) {
            for (Row row : commit.rows()) {
                if (row.isPublished()) {
                    published.add(row.window());
                } else {
                    assertThat(published).as("windows that are closed").doesNotContain(row.window());
                    provisional.put(row.window(), sum(row));
                }
            }
            Map<Window, Sum> owed = new TreeMap<>();
            Expected expected = commit.expected();
            expected.open().forEach(window -> owed.put(window, Sum.of(expected.counted(window))));
            provisional.keySet().removeIf(window -> expected.isClosed(window.span()));
            assertThat(provisional).isEqualTo(owed);
        }
    }

    private static void dispositionsAreRight(Transcript transcript) {
        List<Settled> settled = new ArrayList<>();
        transcript
                .inputs()
                .forEach(received -> settled.add(Settled.as(received.value() == null ? "control" : "counted")));
        transcript
                .exceptions()
                .forEach(row -> settled.set(row.get("source_offset").intValue(), settled(row)));
        assertThat(settled).containsExactlyElementsOf(transcript.expected().settled);
    }

    private static Settled settled(JsonNode exception) {
        boolean corrects = !exception.get("version").isNull();
        return new Settled(
                exception.get("disposition").asString(),
                corrects ? Transcript.time(exception, "window_start") : null,
                corrects ? exception.get("version").intValue() : null);
    }

    private static void ledgerBalances(Transcript transcript) {
        JsonNode latest = null;
        for (Commit commit : transcript.commits()) {
            assertThat(commit.ledger()).hasSizeLessThanOrEqualTo(1);
            latest = commit.ledger().isEmpty() ? latest : commit.ledger().get(0);
            Map<String, Long> owed = commit.expected().settled.stream()
                    .map(Settled::disposition)
                    .filter(disposition -> !disposition.equals("control"))
                    .collect(
                            Collectors.groupingBy(disposition -> disposition.replace('-', '_'), Collectors.counting()));
            if (latest == null) {
                assertThat(owed).isEmpty();
            } else {
                assertThat(latest.get("received").longValue())
                        .isEqualTo(
                                owed.values().stream().mapToLong(count -> count).sum());
                assertThat(counts(latest)).isEqualTo(owed);
                assertThat(amounts(latest).reduce(BigDecimal.ZERO, BigDecimal::add))
                        .isEqualByComparingTo(latest.get("received_amount").decimalValue());
            }
        }
    }

    private static Map<String, Long> counts(JsonNode ledger) {
        return Rows.DISPOSITIONS.stream()
                .filter(column -> ledger.get(column).longValue() != 0)
                .collect(Collectors.toMap(
                        column -> column, column -> ledger.get(column).longValue()));
    }

    private static Stream<BigDecimal> amounts(JsonNode ledger) {
        return Rows.DISPOSITIONS.stream()
                .map(column -> ledger.get(column + "_amount"))
                .filter(amount -> amount != null)
                .map(JsonNode::decimalValue);
    }

    private static void refusedAreParked(Transcript transcript) {
        List<String> owed = transcript.inputs().stream()
                .filter(received -> received.value() != null && !(received.input() instanceof Sale))
                .map(Received::value)
                .toList();
        assertThat(transcript.commits().stream()
                        .flatMap(commit -> commit.deadLetters().stream())
                        .map(record -> new String(record.value(), StandardCharsets.UTF_8)))
                .containsExactlyElementsOf(owed);
    }
}
