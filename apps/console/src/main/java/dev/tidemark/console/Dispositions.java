package dev.tidemark.console;

import dev.tidemark.common.Disposition;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The two sides of a pipeline's ledger, over one or all of its source partitions.
 *
 * @param pipeline its name
 * @param topic source topic, or null for all
 * @param partition source partition, or null for all
 * @param received records read
 * @param receivedAmount what they add up to, as far as they could be read
 * @param parts what became of them; those without amounts have null there
 * @param streamTime greatest event time seen
 * @param recordedAt when the ledger last changed
 */
record Dispositions(
        String pipeline,
        String topic,
        Integer partition,
        BigDecimal received,
        BigDecimal receivedAmount,
        List<Part> parts,
        Instant streamTime,
        Instant recordedAt) {

    /** @param label the disposition's name, {@code held}, or {@code unaccounted} */
    record Part(String label, BigDecimal count, BigDecimal amount) {}

    static Dispositions of(ResultSet row, int number) throws SQLException {
        List<Part> parts = new ArrayList<>();
        for (Disposition disposition : Disposition.values()) {
            String column = disposition.label().replace('-', '_');
            boolean hasAmount = disposition != Disposition.MALFORMED && disposition != Disposition.OUT_OF_RANGE;
            parts.add(new Part(
                    disposition.label(),
                    row.getBigDecimal(column),
                    hasAmount ? row.getBigDecimal(column + "_amount") : null));
        }
        parts.add(new Part("held", row.getBigDecimal("held"), row.getBigDecimal("held_amount")));
        return new Dispositions(
                row.getString("pipeline"),
                row.getString("source_topic"),
                row.getObject("source_partition", Integer.class),
                row.getBigDecimal("received"),
                row.getBigDecimal("received_amount"),
                parts,
                Rows.instant(row, "stream_time"),
                Rows.instant(row, "recorded_at"));
    }

    /** Received less all parts: 0, or something is wrong. */
    public BigDecimal difference() {
        return received.subtract(sum(parts.stream().map(Part::count).toList()));
    }

    /** What was received and is in none of the parts, if there is anything, and the parts. */
    public List<Part> restAndParts() {
        BigDecimal rest = difference();
        return rest.signum() <= 0
                ? parts
                : Stream.concat(Stream.of(new Part("unaccounted", rest, differenceAmount())), parts.stream())
                        .toList();
    }

    /** Received amount less the amounts of all parts: 0, or something is wrong. */
    public BigDecimal differenceAmount() {
        return receivedAmount.subtract(sum(parts.stream()
                .filter(part -> part.amount() != null)
                .map(Part::amount)
                .toList()));
    }

    public boolean isBalanced() {
        return difference().signum() == 0 && differenceAmount().signum() == 0;
    }

    private static BigDecimal sum(List<BigDecimal> numbers) {
        return numbers.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
    }
}
