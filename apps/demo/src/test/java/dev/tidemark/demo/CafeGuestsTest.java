package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class CafeGuestsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant OPENING = Instant.parse("2026-07-01T08:00:00Z");
    private static final Duration TEN_HOURS = Duration.ofHours(10);

    /** By topic and id; repeated ones once. */
    private static final Map<String, Map<String, JsonNode>> EVENTS = new HashMap<>();

    private static final List<Sending> SENT = sent();

    @Test
    void everyTopicGetsEventsWhoseRecordKeyIsTheIdThatBothSidesShare() {
        Map<String, String> shared = Map.of(
                CafeGuests.ORDERS, "order_id",
                CafeGuests.PAYMENTS, "order_id",
                CafeGuests.ORDER_LINES, "order_id",
                CafeGuests.SEARCHES, "search_id",
                CafeGuests.CLICKS, "search_id",
                CafeGuests.SEATINGS, "seating_id",
                CafeGuests.DRINKS, "seating_id");

        assertThat(new TreeSet<>(EVENTS.keySet())).isEqualTo(new TreeSet<>(CafeGuests.TOPICS));
        assertThat(SENT).allSatisfy(sending -> assertThat(JSON.readTree(sending.value())
                        .get(shared.get(sending.topic()))
                        .asString())
                .isEqualTo(sending.key()));
    }

    @Test
    void mostOrdersArePaidWithinHalfAnHourSomeLaterSomeNeverAndSomeTwice() {
        Map<String, List<Duration>> distances =
                distances(CafeGuests.ORDERS, "order_id", "ordered_at", CafeGuests.PAYMENTS, "paid_at");
        Duration halfAnHour = Duration.ofMinutes(30);

        assertThat(share(distances, List::isEmpty)).isCloseTo(0.04, within(0.01));
        assertThat(share(distances, of -> !of.isEmpty() && of.get(0).compareTo(halfAnHour) > 0))
                .isCloseTo(0.03, within(0.01));
        assertThat(share(distances, of -> of.size() > 1)).isCloseTo(0.01, within(0.006));
        assertThat(distances.values().stream().flatMap(List::stream))
                .allMatch(distance -> !distance.isNegative() && distance.compareTo(halfAnHour.multipliedBy(3)) < 0);
    }

    @Test
    void nowAndThenAPaymentHasNoOrder() {
        long without = events(CafeGuests.PAYMENTS).values().stream()
                .filter(payment -> !events(CafeGuests.ORDERS)
                        .containsKey(payment.get("order_id").asString()))
                .filter(payment -> payment.get("order_id").asString().endsWith("-x"))
                .count();

        assertThat((double) without / events(CafeGuests.PAYMENTS).size()).isCloseTo(0.005, within(0.003));
    }

    @Test
    void anOrderHasOneToFiveLinesThatAddUpToItsAmount() {
        Map<String, Integer> cents = new HashMap<>();
        Map<String, Integer> lines = new HashMap<>();
        events(CafeGuests.ORDER_LINES).values().forEach(line -> {
            String order = line.get("order_id").asString();
            lines.merge(order, 1, Integer::sum);
            cents.merge(order, line.get("quantity").asInt() * cents(line.get("price")), Integer::sum);
        });

        assertThat(new TreeSet<>(lines.values())).containsExactly(1, 2, 3, 4, 5);
        assertThat(early(CafeGuests.ORDERS, "ordered_at"))
                .allSatisfy((id, order) -> assertThat(cents.get(id)).isEqualTo(cents(order.get("amount"))));
    }

    @Test
    void halfOfTheSearchesHaveClicksAndSomeHaveSeveral() {
        Map<String, List<Duration>> distances =
                distances(CafeGuests.SEARCHES, "search_id", "searched_at", CafeGuests.CLICKS, "clicked_at");

        assertThat(share(distances, List::isEmpty)).isCloseTo(0.5, within(0.03));
        assertThat(share(distances, of -> of.size() > 1)).isCloseTo(0.2, within(0.03));
        assertThat(distances.values().stream().flatMap(List::stream))
                .allMatch(distance -> !distance.isNegative() && distance.compareTo(Duration.ofMinutes(8)) <= 0);
    }

    @Test
    void mostWhoSitDownOrderADrinkWithinFiveMinutes() {
        Map<String, List<Duration>> distances =
                distances(CafeGuests.SEATINGS, "seating_id", "seated_at", CafeGuests.DRINKS, "ordered_at");
        Duration fiveMinutes = Duration.ofMinutes(5);

        assertThat(distances.values()).allMatch(of -> of.size() <= 1);
        assertThat(share(distances, List::isEmpty)).isCloseTo(0.1, within(0.03));
        assertThat(share(distances, of -> !of.isEmpty() && of.get(0).compareTo(fiveMinutes) > 0))
                .isCloseTo(0.09, within(0.03));
    }

    /** Per event of the left topic, the times from it to those of the right one. */
    private static Map<String, List<Duration>> distances(
            String left, String key, String leftTime, String right, String rightTime) {
        Map<String, List<Duration>> distances = new LinkedHashMap<>();
        Map<String, JsonNode> lefts = early(left, leftTime);
        lefts.keySet().forEach(id -> distances.put(id, new ArrayList<>()));
        events(right).values().forEach(event -> {
            String id = event.get(key).asString();
            if (lefts.containsKey(id)) {
                distances.get(id).add(Duration.between(time(lefts.get(id), leftTime), time(event, rightTime)));
            }
        });
        return distances;
    }

    private static double share(Map<String, List<Duration>> distances, Predicate<List<Duration>> condition) {
        assertThat(distances).hasSizeGreaterThan(1000);
        return (double) distances.values().stream().filter(condition).count() / distances.size();
    }

    private static Map<String, JsonNode> events(String topic) {
        return EVENTS.get(topic);
    }

    /** Those whose partners have been sent, too. */
    private static Map<String, JsonNode> early(String topic, String time) {
        Map<String, JsonNode> early = new HashMap<>(events(topic));
        early.values().removeIf(event -> time(event, time).isAfter(OPENING.plus(TEN_HOURS)));
        return early;
    }

    private static Instant time(JsonNode event, String field) {
        return Instant.parse(event.get(field).asString());
    }

    private static int cents(JsonNode price) {
        return price.decimalValue().movePointRight(2).intValueExact();
    }

    private static List<Sending> sent() {
        CafeChain chain = new CafeChain(7, OPENING, Duration.ofSeconds(2));
        Instant end = OPENING.plus(TEN_HOURS).plus(Duration.ofHours(4));
        List<Sending> sent = Stream.generate(chain::next)
                .takeWhile(sending -> sending.time() < end.toEpochMilli())
                .filter(sending -> CafeGuests.TOPICS.contains(sending.topic()))
                .toList();
        for (Sending sending : sent) {
            JsonNode event = JSON.readTree(sending.value());
            String id = event.properties().iterator().next().getValue().asString();
            JsonNode before = EVENTS.computeIfAbsent(sending.topic(), topic -> new HashMap<>())
                    .put(id, event);
            assertThat(before == null || before.equals(event)).isTrue();
        }
        return sent;
    }
}
