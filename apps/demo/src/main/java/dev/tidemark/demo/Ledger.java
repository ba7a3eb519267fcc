package dev.tidemark.demo;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The ledger over all source partitions: {@code received = counted + late + …}.
 *
 * @param received records read
 * @param dispositions number of records per disposition and held ones, in the ledger's order
 * @param difference sum of the partitions' absolute differences, 0 if all is well
 * @param receivedAmount sum of the amounts that could be read
 * @param accountedAmount sum of the amounts of all dispositions and held ones
 * @param differenceAmount sum of the partitions' absolute differences, 0 if all is well
 */
record Ledger(
        long received,
        Map<String, Long> dispositions,
        long difference,
        BigDecimal receivedAmount,
        BigDecimal accountedAmount,
        BigDecimal differenceAmount) {

    /** The equation of the counts; dispositions that did not occur are left out, except for the usual two. */
    String counts() {
        String sum = dispositions.entrySet().stream()
                .filter(entry -> entry.getValue() != 0
                        || entry.getKey().equals("counted")
                        || entry.getKey().equals("late"))
                .map(entry -> String.format(Locale.ROOT, "%s %,d", entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(" + "));
        return String.format(Locale.ROOT, "received %,d = %s (difference %,d)", received, sum, difference);
    }

    /** The equation of the amounts. */
    String amounts() {
        return "amounts %s = %s (difference %s)"
                .formatted(grouped(receivedAmount), grouped(accountedAmount), grouped(differenceAmount));
    }

    private static String grouped(BigDecimal amount) {
        return String.format(Locale.ROOT, "%,." + Math.max(0, amount.scale()) + "f", amount);
    }
}
