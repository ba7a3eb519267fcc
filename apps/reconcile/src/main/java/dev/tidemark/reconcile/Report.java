package dev.tidemark.reconcile;

import dev.tidemark.common.JsonRow;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Tells people what a recount found. */
final class Report {

    /** So many differences are shown. */
    static final int MOST_SHOWN = 10;

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\u0080-\\u009f\\u2028-\\u202e\\u2066-\\u2069]");

    private final PrintStream out;

    Report(PrintStream out) {
        this.out = out;
    }

    void print(Run run) {
        out.printf("%s of %s, %s%n", run.subject(), run.pipeline(), run.span());
        if (run.tally() != null) {
            printFindings(run);
        }
        out.println(run.unknown() != null ? "  could not tell: " + run.unknown() : verdict(run.tally()));
        out.flush();
    }

    private static String verdict(Tally tally) {
        return tally.hasBreaks() ? "  It differs." : "  Nothing differs.";
    }

    private void printFindings(Run run) {
        Tally tally = run.tally();
        LogCounts log = run.log();
        LedgerSides ledger = run.ledger();
        print(
                "input",
                "%,d records: %,d duplicate, %,d conflicting, %,d refused",
                log.records(),
                log.duplicates(),
                log.conflicting(),
                log.refused());
        print(
                run.subject().equals(Target.TOTALS) ? "windows" : "pairs",
                "%,d compared: %,d equal, %,d explained, %,d different, %,d missing, %,d unexpected; %,d not decided yet",
                tally.compared(),
                tally.equal,
                tally.explained,
                tally.different(),
                tally.missing(),
                tally.unexpected(),
                tally.undecided());
        print(
                "ledger",
                "received %,d of %s, accounted for %,d of %s",
                ledger.received(),
                ledger.receivedAmount().toPlainString(),
                ledger.accounted(),
                ledger.accountedAmount().toPlainString());
        List<Break> breaks = tally.breaks();
        breaks.stream().limit(MOST_SHOWN).forEach(this::print);
        if (breaks.size() > MOST_SHOWN) {
            out.printf("  … and %,d more%n", breaks.size() - MOST_SHOWN);
        }
        long corrected = breaks.stream().filter(Break::corrected).count();
        if (corrected > 0) {
            out.printf(Locale.ROOT, "  %,d corrections requested; recount again to see them%n", corrected);
        }
    }

    private void print(String name, String format, Object... numbers) {
        out.printf(Locale.ROOT, "  %-8s " + format + "%n", prepend(name, numbers));
    }

    private static Object[] prepend(String name, Object[] numbers) {
        Object[] all = new Object[numbers.length + 1];
        all[0] = name;
        System.arraycopy(numbers, 0, all, 1, numbers.length);
        return all;
    }

    private void print(Break found) {
        Break.Subject subject = found.subject();
        StringBuilder line = new StringBuilder("  ").append(found.kind().label());
        if (subject.key() != null) {
            line.append("  ").append(subject.key()).append(' ').append(JsonRow.timeText(subject.time()));
        }
        if (subject.leftId() != null) {
            line.append(" left ")
                    .append(quoted(subject.leftId()))
                    .append(" right ")
                    .append(quoted(subject.rightId()));
        }
        line.append(": ");
        if (subject.leftId() == null) {
            line.append("published ").append(show(found.published()));
            line.append(", recounted ").append(show(found.recounted())).append("; ");
        }
        line.append(found.explanation());
        if (!found.eventIds().isEmpty()) {
            line.append(" [").append(String.join(", ", found.eventIds())).append(']');
        }
        out.println(printable(line.toString()));
    }

    /** Keys and ids are what somebody sent: they must not move the cursor, or write lines of their own. */
    private static String printable(String text) {
        return CONTROL.matcher(text)
                .replaceAll(found -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
    }

    private static String quoted(String id) {
        return id.isEmpty() ? "none" : id;
    }

    private static String show(Break.Numbers numbers) {
        if (numbers == null) {
            return "nothing";
        }
        return (numbers.total() == null ? "" : numbers.total().toPlainString() + " of ")
                + numbers.count()
                + (numbers.version() == null ? "" : " (version " + numbers.version() + ")");
    }
}
