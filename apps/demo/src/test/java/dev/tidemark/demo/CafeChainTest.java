package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CafeChainTest {

    private static final Instant OPENING = Instant.parse("2026-07-01T08:00:00Z");
    private static final int SENDINGS = 75_000;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private record Sale(Sending sending, JsonNode json) {

        Instant time() {
            return Instant.parse(json.get("event_time").asString());
        }

        Duration delay() {
            return Duration.between(time(), Instant.ofEpochMilli(sending.time()));
        }

        String id() {
            return json.get("event_id").asString();
        }

        boolean isMisdated() {
            return time().isAfter(Instant.parse("2035-01-01T00:00:00Z"));
        }
    }

    private static final List<Sending> ALL = sendings(7);
    private static final List<Sending> SENT = salesOf(ALL);
    private static final List<Sale> SALES = sales(SENT);

    @Test
    void theSameSeedGivesTheSameEvents() {
        assertThat(sendings(7)).isEqualTo(ALL);
        assertThat(sendings(8)).isNotEqualTo(ALL);
    }

    @Test
    void recordsComeInTheOrderInWhichTheyAreSent() {
        assertThat(ALL.stream().mapToLong(Sending::time).toArray()).isSorted();
    }

    @Test
    void salesComeFromTwentyStoresAndAreKeyedByStore() {
        assertThat(SALES).allMatch(sale -> sale.json()
                .get("store_id")
                .asString()
                .equals(sale.sending().key()));
        assertThat(SALES.stream().map(sale -> sale.sending().key()).distinct().sorted())
                .startsWith("S001", "S002")
                .endsWith("S020")
                .hasSize(20);
    }

    @Test
    void amountsAreNumbersOfTwoDecimals() {
        assertThat(SALES).map(sale -> sale.json().get("amount")).allMatch(JsonNode::isNumber);
        assertThat(SALES)
                .map(sale -> sale.json().get("amount").decimalValue())
                .allMatch(amount -> amount.scale() == 2 && amount.compareTo(BigDecimal.ONE) > 0);
    }

    @Test
    void noSaleIsSentBeforeItHappensExceptForThoseDated2035() {
        assertThat(honest()).noneMatch(sale -> sale.delay().isNegative());
        assertThat(share(SALES.stream().filter(Sale::isMisdated).count())).isCloseTo(0.001, within(0.0007));
    }

    @Test
    void threeInAHundredAreTenMinutesToTwoHoursLateAndTheOthersAMinuteAtMost() {
        List<Sale> first = firsts();
        List<Sale> late = first.stream()
                .filter(sale -> sale.delay().compareTo(Duration.ofMinutes(1)) > 0)
                .toList();

        assertThat((double) late.size() / first.size()).isCloseTo(0.03, within(0.004));
        assertThat(late).allSatisfy(sale -> assertThat(sale.delay())
                .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(120)));
    }

    @Test
    void oneInAHundredIsSentTwiceWithTheSameContent() {
        Map<String, List<String>> contents = new HashMap<>();
        honest().forEach(sale -> contents.computeIfAbsent(sale.id(), id -> new ArrayList<>())
                .add(sale.sending().value()));
        List<List<String>> repeated =
                contents.values().stream().filter(values -> values.size() > 1).toList();

        assertThat((double) repeated.size() / contents.size()).isCloseTo(0.01, within(0.002));
        assertThat(repeated).allSatisfy(values -> assertThat(values).hasSize(2).containsOnly(values.get(0)));
    }

    @Test
    void nowAndThenOneIsBroken() {
        assertThat(share(SENT.size() - SALES.size())).isCloseTo(0.002, within(0.0009));
    }

    @Test
    void salesAreAsFrequentAsAsked() {
        Duration taken = Duration.ofMillis(SENT.get(SENT.size() - 1).time() - OPENING.toEpochMilli());

        assertThat(taken.toMillis() / (double) SENT.size()).isCloseTo(2000, within(50.0));
    }

    @Test
    void aChainThatOpensLaterUsesOtherIds() {
        CafeChain later = new CafeChain(7, OPENING.plusSeconds(1), Duration.ofSeconds(2));
        Set<String> ids = new HashSet<>();
        SALES.forEach(sale -> ids.add(sale.id()));

        assertThat(sales(salesOf(Stream.generate(later::next).limit(3000).toList())))
                .hasSizeGreaterThan(500)
                .noneMatch(sale -> ids.contains(sale.id()));
    }

    private static List<Sending> sendings(long seed) {
        CafeChain chain = new CafeChain(seed, OPENING, Duration.ofSeconds(2));
        return Stream.generate(chain::next).limit(SENDINGS).toList();
    }

    private static List<Sending> salesOf(List<Sending> sendings) {
        return sendings.stream()
                .filter(sending -> sending.topic().equals(CafeChain.SALES))
                .toList();
    }

    private static List<Sale> sales(List<Sending> sendings) {
        List<Sale> sales = new ArrayList<>();
        for (Sending sending : sendings) {
            try {
                sales.add(new Sale(sending, JSON.readTree(sending.value())));
            } catch (JacksonException broken) {
                continue;
            }
        }
        return sales;
    }

    private List<Sale> honest() {
        return SALES.stream().filter(sale -> !sale.isMisdated()).toList();
    }

    /** Without those that are sent again. */
    private List<Sale> firsts() {
        Set<String> seen = new HashSet<>();
        return honest().stream().filter(sale -> seen.add(sale.id())).toList();
    }

    private static double share(long count) {
        return (double) count / SENT.size();
    }
}
