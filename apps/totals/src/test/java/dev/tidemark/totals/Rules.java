package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.totals.Expected.Cause;
import dev.tidemark.totals.Expected.Closing;
import dev.tidemark.totals.Expected.Late;
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
            new Rule("a final comes with the commit in which its window closes", Rules::finalsComeInTime),
            new Rule("a final contains what came on time", Rules::finalsContainWhatCameOnTime),
            new Rule("a correction builds on the version before and names its cause", Rules::correctionsNameTheirCause),
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
        expected.closed().forEach(window -> owed.put(window, Sum.of(expected.accepted(window))));
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

    private static void finalsComeInTime(Transcript transcript) {
        Set<Window> finals = new TreeSet<>();
        for (Commit commit : transcript.commits()) {
            commit.rows().stream().filter(row -> row.version() == 1).forEach(row -> finals.add(row.window()));
            Expected expected = commit.expected();
            Set<Window> owed = expected.closed().stream()
                    .filter(window -> !expected.counted(window).isEmpty())
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(finals).isEqualTo(owed);
        }
    }

    private static void finalsContainWhatCameOnTime(Transcript transcript) {
        Expected expected = transcript.expected();
        transcript.published().filter(row -> row.version() == 1).forEach(row -> assertThat(sum(row))
                .as("final of %s", row.window())
                .isEqualTo(Sum.of(expected.counted(row.window()))));
    }

    private static void correctionsNameTheirCause(Transcript transcript) {
        Map<Window, BigDecimal> totals = new HashMap<>();
        Map<Window, List<String>> causes = new TreeMap<>();
        transcript.published().forEach(row -> {
            if (row.version() > 1) {
                BigDecimal before = totals.getOrDefault(row.window(), new BigDecimal("0.00"));
                assertThat(row.decimal("previous_total")).isEqualTo(before);
                assertThat(row.decimal("total")).isEqualTo(before.add(row.decimal("delta")));
                causes.computeIfAbsent(row.window(), window -> new ArrayList<>())
                        .add("v" + row.version() + " " + row.text("cause_event_id") + " " + row.decimal("delta"));
            }
            totals.put(row.window(), row.decimal("total"));
        });
        assertThat(causes).isEqualTo(owedCauses(transcript.expected()));
    }

    private static Map<Window, List<String>> owedCauses(Expected expected) {
        Map<Window, List<String>> owed = new TreeMap<>();
        for (Window window : expected.closed()) {
            int version = 2;
            for (Late late : expected.late(window)) {
                owed.computeIfAbsent(window, w -> new ArrayList<>())
                        .add("v" + version++ + " " + late.sale().id() + " "
                                + late.sale().amount());
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
        List<Late> late = expected.late(row.window());
        if (row.version() == 1 ? closing == null : row.version() - 2 >= late.size()) {
            return "no such version";
        }
        long clock = row.version() == 1
                ? closing.clock()
                : late.get(row.version() - 2).clock();
        Cause cause = closing == null ? Cause.END_OF_INPUT : closing.cause();
        return cause.label + " at " + TIME.format(Instant.ofEpochMilli(clock));
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
            provisional.keySet().removeAll(expected.closed());
            assertThat(provisional).isEqualTo(owed);
        }
    }

    private static void dispositionsAreRight(Transcript transcript) {
        Map<Integer, String> dispositions = new TreeMap<>();
        for (int offset = 0; offset < transcript.inputs().size(); offset++) {
            boolean isControl = transcript.inputs().get(offset).value() == null;
            dispositions.put(offset, isControl ? "control" : "counted");
        }
        transcript
                .exceptions()
                .forEach(row -> dispositions.put(
                        row.get("source_offset").intValue(),
                        row.get("disposition").asString()));
        assertThat(dispositions.values()).containsExactlyElementsOf(transcript.expected().dispositions);
    }

    private static void ledgerBalances(Transcript transcript) {
        JsonNode latest = null;
        for (Commit commit : transcript.commits()) {
            assertThat(commit.ledger()).hasSizeLessThanOrEqualTo(1);
            latest = commit.ledger().isEmpty() ? latest : commit.ledger().get(0);
            Map<String, Long> owed = commit.expected().dispositions.stream()
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

    private static final List<String> COLUMNS = List.of(
            "counted",
            "partly_late",
            "late",
            "too_late",
            "duplicate",
            "conflicting",
            "future",
            "malformed",
            "out_of_range",
            "held");

    private static Map<String, Long> counts(JsonNode ledger) {
        return COLUMNS.stream()
                .filter(column -> ledger.get(column).longValue() != 0)
                .collect(Collectors.toMap(
                        column -> column, column -> ledger.get(column).longValue()));
    }

    private static Stream<BigDecimal> amounts(JsonNode ledger) {
        return COLUMNS.stream()
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
