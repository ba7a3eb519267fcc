package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class CafeCustomersTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant OPENING = Instant.parse("2026-07-01T08:00:00Z");
    private static final List<Sending> SENT = sent();

    @Test
    void theKeyOfEveryRecordIsItsCustomer() {
        assertThat(SENT).filteredOn(sending -> sending.value() != null).allSatisfy(sending -> assertThat(
                        json(sending).get("customer_id").asString())
                .isEqualTo(sending.key()));
    }

    @Test
    void theFirstCustomersAreRegisteredBeforeAnythingElseIsSent() {
        assertThat(SENT.subList(0, CafeCustomers.REGISTERED))
                .allMatch(sending -> sending.topic().equals(CafeCustomers.CUSTOMERS))
                .allMatch(sending -> sending.time() == OPENING.toEpochMilli())
                .allSatisfy(sending ->
                        assertThat(json(sending).get("updated_at").asString()).isEqualTo(OPENING.toString()))
                .extracting(Sending::key)
                .doesNotHaveDuplicates();
    }

    @Test
    void plansAndCountriesChangeNewCustomersAppearAndAFewAreDeleted() {
        Map<String, Set<String>> plans = new HashMap<>();
        Map<String, Set<String>> countries = new HashMap<>();
        customers().filter(sending -> sending.value() != null).forEach(sending -> {
            plans.computeIfAbsent(sending.key(), key -> new HashSet<>())
                    .add(json(sending).get("plan").asString());
            countries
                    .computeIfAbsent(sending.key(), key -> new HashSet<>())
                    .add(json(sending).get("country").asString());
        });
        Set<String> deleted = customers()
                .filter(sending -> sending.value() == null)
                .map(Sending::key)
                .collect(Collectors.toSet());

        assertThat(plans).hasSizeGreaterThan(CafeCustomers.REGISTERED + 20);
        assertThat(plans.values()).anyMatch(values -> values.size() > 1);
        assertThat(countries.values()).anyMatch(values -> values.size() > 1);
        assertThat(deleted).hasSizeBetween(5, 60);
    }

    /** The only time that a deletion has is that of its record. */
    @Test
    void aDeletedCustomerIsNotRegisteredAgain() {
        Map<String, Long> deleted = new HashMap<>();
        customers()
                .filter(sending -> sending.value() == null)
                .forEach(sending -> deleted.put(sending.key(), sending.time()));

        assertThat(customers().filter(sending -> sending.value() != null && deleted.containsKey(sending.key())))
                .allMatch(sending -> time(sending, "updated_at") <= deleted.get(sending.key()));
    }

    @Test
    void threeInFiveActivitiesArePurchasesAndTheOthersCostNothing() {
        Map<Boolean, List<String>> amounts = activities()
                .map(CafeCustomersTest::json)
                .collect(Collectors.partitioningBy(
                        activity -> activity.get("kind").asString().equals("purchase"),
                        Collectors.mapping(activity -> activity.get("amount").asString(), Collectors.toList())));
        double purchases = amounts.get(true).size();

        assertThat(purchases / (purchases + amounts.get(false).size())).isCloseTo(CafeCustomers.BOUGHT, within(0.03));
        assertThat(amounts.get(true)).allMatch(amount -> amount.matches("[1-9][0-9]*\\.[0-9]{2}"));
        assertThat(amounts.get(false)).allMatch("0.00"::equals);
    }

    @Test
    void someActivitiesAreSentBeforeTheirCustomerIs() {
        Set<String> known = new HashSet<>();
        long early = SENT.stream()
                .filter(sending -> {
                    if (sending.topic().equals(CafeCustomers.CUSTOMERS)) {
                        known.add(sending.key());
                        return false;
                    }
                    return !known.contains(sending.key());
                })
                .count();

        assertThat(early).isBetween(1L, activities().count() / 100);
    }

    private static Stream<Sending> customers() {
        return SENT.stream().filter(sending -> sending.topic().equals(CafeCustomers.CUSTOMERS));
    }

    private static Stream<Sending> activities() {
        return SENT.stream().filter(sending -> sending.topic().equals(CafeCustomers.ACTIVITIES));
    }

    private static long time(Sending sending, String field) {
        return Instant.parse(json(sending).get(field).asString()).toEpochMilli();
    }

    private static JsonNode json(Sending sending) {
        return JSON.readTree(sending.value());
    }

    private static List<Sending> sent() {
        CafeChain chain = new CafeChain(7, OPENING, Duration.ofSeconds(2));
        Instant end = OPENING.plus(Duration.ofHours(14));
        return Stream.generate(chain::next)
                .takeWhile(sending -> sending.time() < end.toEpochMilli())
                .filter(sending -> sending.topic().equals(CafeCustomers.CUSTOMERS)
                        || sending.topic().equals(CafeCustomers.ACTIVITIES))
                .toList();
    }
}
