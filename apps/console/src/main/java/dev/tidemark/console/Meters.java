package dev.tidemark.console;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an app's meters say, from the text that Prometheus reads.
 *
 * @param lags records still to be read, by source partition
 * @param dispositions events by disposition
 */
record Meters(List<Lag> lags, List<Count> dispositions) {

    private static final String LAG = "kafka_consumer_fetch_manager_records_lag";
    private static final String EVENTS = "tidemark_events_total";
    private static final Pattern SAMPLE = Pattern.compile("(\\w+)\\{(.*)} (\\S+)( \\d+)?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    record Lag(String topic, int partition, long records) {}

    record Count(String label, long count) {}

    static Meters of(String text) {
        List<Lag> lags = new ArrayList<>();
        Map<String, Long> counts = new TreeMap<>();
        text.lines().forEach(line -> {
            Matcher sample = SAMPLE.matcher(line);
            if (!sample.matches() || sample.group(3).equals("NaN")) {
                return;
            }
            Map<String, String> labels = labels(sample.group(2));
            if (sample.group(1).equals(LAG) && labels.containsKey("partition") && !isOfRestoration(labels)) {
                lags.add(new Lag(
                        labels.getOrDefault("topic", "?"),
                        Integer.parseInt(labels.get("partition")),
                        new BigDecimal(sample.group(3)).longValue()));
            } else if (sample.group(1).equals(EVENTS)) {
                counts.merge(
                        labels.getOrDefault("disposition", "?"),
                        new BigDecimal(sample.group(3)).longValue(),
                        Long::sum);
            }
        });
        lags.sort(Comparator.comparing(Lag::topic).thenComparing(Lag::partition));
        return new Meters(
                lags,
                counts.entrySet().stream()
                        .map(count -> new Count(count.getKey(), count.getValue()))
                        .toList());
    }

    /** What is left to be restored is not left to be read. */
    private static boolean isOfRestoration(Map<String, String> labels) {
        return labels.getOrDefault("client_id", "").endsWith("restore-consumer");
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new TreeMap<>();
        Matcher label = LABEL.matcher(text);
        while (label.find()) {
            labels.put(label.group(1), label.group(2));
        }
        return labels;
    }
}
