package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.Completion;
import dev.tidemark.pairs.PairsApplication;
import dev.tidemark.totals.TotalsApplication;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Apps compose by topics: the pairs app finds the clicks of searches, two totals apps count both from what it writes, and
 * the query of its page divides one by the other. All with their shipped settings.
 */
@ExtendWith(Servers.Shared.class)
@Timeout(900)
class RatioIT {

    private static final Instant TEN = Instant.parse("2026-07-01T10:00:00Z");
    private static final int SEARCHES = 300;

    private static Servers servers;

    @TempDir
    Path directory;

    private final Random random = new Random(20260701);
    private final Map<Instant, Integer> searches = new TreeMap<>();
    private final Map<Instant, Integer> clicks = new TreeMap<>();

    @BeforeAll
    static void use(Servers shared) {
        servers = shared;
    }

    @Test
    void clicksPerSearchAreThoseOfTheEvents() throws IOException, InterruptedException {
        servers.createTopic("searches", 1, Map.of());
        servers.createTopic("clicks", 1, Map.of());
        send();

        try (App pairs = start("search-clicks", PairsApplication.class, "pairs")) {
            awaitApp(pairs, "searches"::equals);
            awaitApp(pairs, "clicks"::equals);
            endInput("search-clicks-pairs");
            try (App searched = start("searches", TotalsApplication.class, "totals");
                    App clicked = start("clicks", TotalsApplication.class, "totals")) {
                for (App app : List.of(searched, clicked)) {
                    awaitApp(app, "search-clicks-pairs"::equals);
                    awaitApp(app, topic -> topic.matches(app.applicationId() + "-.*-repartition"));
                }
            }
        }
        servers.awaitSinks("search-clicks", "searches", "clicks");

        assertThat(servers.rows(query())).isEqualTo(expected());
        assertThat(servers.rows("select difference from ledger_balance where pipeline in ('searches', 'clicks')"))
                .containsOnly("0");
    }

    private App start(String pipeline, Class<?> application, String module) {
        return App.start(
                application,
                Path.of("..", module, "settings", pipeline + ".yml"),
                servers.kafka.bootstrapServers(),
                directory,
                "spring.main.web-application-type=none",
                "tidemark." + module + ".accept-end-of-input=true",
                "tidemark." + module + ".idle-after=1h");
    }

    /** An hour of searches with up to three clicks within ten minutes each, in a random order of five minutes at most. */
    private void send() {
        record Event(Instant sent, String topic, String key, String json) {}
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < SEARCHES; i++) {
            String search = "s" + i;
            Instant at = TEN.plusSeconds(random.nextInt(3600));
            Instant window =
                    TEN.plus(Duration.ofMinutes(Duration.between(TEN, at).toMinutes() / 10 * 10));
            searches.merge(window, 1, Integer::sum);
            events.add(new Event(
                    at.plusSeconds(random.nextInt(300)),
                    "searches",
                    search,
                    "{\"search_id\":\"%s\",\"searched_at\":\"%s\"}".formatted(search, at)));
            int count = random.nextInt(4);
            for (int k = 0; k < count; k++) {
                Instant clicked = at.plusSeconds(random.nextInt(601));
                clicks.merge(window, 1, Integer::sum);
                events.add(new Event(
                        clicked.plusSeconds(random.nextInt(300)),
                        "clicks",
                        search,
                        "{\"click_id\":\"%s-%d\",\"search_id\":\"%s\",\"clicked_at\":\"%s\"}"
                                .formatted(search, k, search, clicked)));
            }
        }
        events.sort(Comparator.comparing(Event::sent));
        try (EventSender toSearches = new EventSender(servers.kafka.bootstrapServers(), "searches");
                EventSender toClicks = new EventSender(servers.kafka.bootstrapServers(), "clicks")) {
            events.forEach(event -> (event.topic().equals("searches") ? toSearches : toClicks)
                    .send(event.key(), event.json().getBytes(StandardCharsets.UTF_8)));
        }
        endInput("searches");
        endInput("clicks");
    }

    private static void endInput(String topic) {
        try (EventSender sender = new EventSender(servers.kafka.bootstrapServers(), topic)) {
            sender.endInput();
        }
    }

    private static void awaitApp(App app, Predicate<String> topics) throws InterruptedException {
        try (Completion completion = new Completion(servers.kafka.bootstrapServers(), () -> assertThat(app.hasFailed())
                .isFalse())) {
            completion.await(app.applicationId(), topics);
        }
    }

    private List<String> expected() {
        return searches.entrySet().stream()
                .map(window -> {
                    int clicked = clicks.getOrDefault(window.getKey(), 0);
                    BigDecimal ratio = BigDecimal.valueOf(clicked)
                            .divide(BigDecimal.valueOf(window.getValue()), 2, RoundingMode.HALF_UP);
                    return "%d|%d|%d|%s".formatted(window.getKey().getEpochSecond(), window.getValue(), clicked, ratio);
                })
                .toList();
    }

    /** The query of the page, its time as seconds, because the database of the tests is in Tokyo. */
    private static String query() throws IOException {
        Matcher query = Pattern.compile("```sql\n(select window_start, searches\\.count.*?);\n```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "pairs", "README.md")));
        assertThat(query.find()).isTrue();
        return "select extract(epoch from window_start)::bigint, searches, clicks, clicks_per_search from ("
                + query.group(1) + ") as ratio";
    }
}
