package dev.tidemark.profiles;

import static dev.tidemark.common.OfType.only;
import static org.apache.kafka.streams.KeyValue.pair;

import dev.tidemark.common.Account;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Intake;
import dev.tidemark.common.Item;
import dev.tidemark.common.KeyInPlace;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.RequirePlace;
import dev.tidemark.common.ResultRows;
import dev.tidemark.common.TableReader;
import dev.tidemark.profiles.CorrectSessions.Result;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.LocalTime;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;

/** Events and updates of profiles in; one row per key, and finished and corrected sessions, out. */
final class ProfilesTopology {

    /** What is known of the events of each key. */
    static final String STATISTICS = "statistics";

    /** What is known of each profile. */
    static final String PROFILES = "profiles";

    /** The clock closes whole seconds. */
    static final Duration SECOND = Duration.ofSeconds(1);

    private static final String COUNTS = Account.countsOf(Intake.COUNTING);

    /** Replayed events are old from the start; their state must not expire by the broker's clock. */
    private static final Map<String, String> KEPT = Map.of(TopicConfig.RETENTION_MS_CONFIG, "-1");

    private final ProfilesProperties settings;
    private final InputPartitions partitions;
    private final MeterRegistry meters;
    private final Duration gap;
    private final EventWindows windows;
    private final Statistics.Rules rules;
    private final TableReader reader;
    private final ProfileRow.Form form;

    ProfilesTopology(ProfilesProperties settings, InputPartitions partitions, MeterRegistry meters) {
        this.settings = settings;
        this.partitions = partitions;
        this.meters = meters;
        this.gap = settings.session().gap();
        // The operators' time may be ahead of the clock by the lead, and of what is closed by a second more.
        this.windows = EventWindows.tumbling(
                SECOND, settings.grace().plus(settings.intake().lead()).plus(SECOND));
        this.rules = new Statistics.Rules(
                EventWindows.days(settings.zone(), Duration.ZERO),
                EventWindows.weeks(settings.zone(), settings.weekStarts(), LocalTime.MIDNIGHT, Duration.ZERO),
                gap.toMillis(),
                settings.reach().toMillis(),
                new VisitTest(
                        settings.visits(), (int) settings.input().maxSize().toBytes()));
        this.reader = new TableReader(settings.table().mapping(), settings.maxFuture());
        this.form = ProfileRow.Form.of(settings);
    }

    void build(StreamsBuilder builder) {
        Account account =
                new Account(builder, settings.pipeline(), settings.input().amountScale(), meters).inOneTask();
        boolean tableStays = settings.table().partitionedByKey();
        KStream<String, Item> updates = RequirePlace.of(
                settings.profiles().records(builder, account),
                settings.table().topic(),
                tableStays,
                settings.eventsStay(),
                partitions);
        KStream<String, Item> events = RequirePlace.of(
                settings.intake().events(builder, account, partitions),
                settings.input().topic(),
                settings.eventsStay(),
                tableStays,
                partitions);
        KStream<String, Item> clocked = KeyInPlace.process(events, eventClock(), Named.as("keep-event-time"), COUNTS);
        KStream<String, Arrival> arrivals = KeyInPlace.process(
                clocked,
                new PlaceEvents(windows, settings.grace(), settings.correctUntil(), gap),
                Named.as("place-events"));

        writeSessions(arrivals.filter((key, arrival) -> mayMerge(arrival), Named.as("take-mergeable"))
                .groupByKey(Grouped.as("by-key"))
                .windowedBy(SessionWindows.ofInactivityGapAndGrace(gap, sessionGrace()))
                .aggregate(
                        () -> Session.NONE,
                        (key, arrival, session) -> session.plus(arrival),
                        (key, one, other) -> one.merge(other),
                        Named.as("gather-sessions"),
                        inSessions())
                .suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded()).withName("hold-until-finished")));
        KTable<String, Statistics> statistics = KeyInPlace.process(
                        arrivals, new TurnDays(rules.days(), rules.weeks()), Named.as("turn-days"))
                .groupByKey(Grouped.as("by-key-with-turns"))
                .aggregate(
                        () -> Statistics.NONE,
                        (key, arrival, known) -> known.plus(arrival, rules),
                        Named.as("count-events"),
                        in(STATISTICS, Statistics.serde()));
        int mostFields = (int) settings.table().maxSize().toBytes();
        boolean timed = settings.table().eventTime() != null;
        KTable<String, Profile> profiles = updates.filter(
                        (key, item) -> item instanceof Event, Named.as("take-updates"))
                .groupByKey(Grouped.as("by-profile"))
                .aggregate(
                        () -> Profile.NONE,
                        (key, update, known) -> known.plus((Event) update, reader, timed, mostFields),
                        Named.as("keep-newest"),
                        in(PROFILES, Profile.serde()));
        writeRows(statistics.outerJoin(profiles, form::row, Named.as("join-profiles")));
        settle(account, updates, arrivals);
        account.write(settings.exceptionsTopic(), settings.ledgerTopic());
    }

    private void writeRows(KTable<String, ProfileRow> rows) {
        rows.toStream(Named.as("stream-rows"))
                .map((key, row) -> pair(key, row == null ? null : row.toJson(key, form)), Named.as("describe-rows"))
                .to(
                        settings.profilesTopic(),
                        new ResultRows<String, byte[]>(key -> key, form::id, row -> row).named("write-rows"));
    }

    private void writeSessions(KTable<Windowed<String>, Session> finished) {
        finished.toStream(Named.as("stream-finished"))
                .process(
                        new PublishSessions(windows, gap, SessionBook.published(retention(), KEPT)),
                        Named.as("publish-sessions"),
                        SessionBook.SESSIONS,
                        EventClock.CLOSINGS)
                .to(settings.sessionsTopic(), asSessions("write-sessions"));
    }

    /** Each record gets one disposition, and events that come too late for the operators correct what they change. */
    private void settle(Account account, KStream<String, Item> updates, KStream<String, Arrival> arrivals) {
        CorrectSessions correct = new CorrectSessions(windows, settings.grace(), gap);
        KStream<String, Result> corrections = arrivals.filter(
                        (key, arrival) -> mustCorrect(arrival), Named.as("take-correcting"))
                .process(
                        correct,
                        Named.as("correct-sessions"),
                        SessionBook.SESSIONS,
                        SessionBook.PUBLISHED,
                        EventClock.CLOSINGS);
        only(Result.Published.class, corrections, "corrected")
                .map((key, published) -> pair(published.row().id(), published.row()), Named.as("publish-corrected"))
                .to(settings.sessionsTopic(), asSessions("write-corrected"));
        KStream<String, Outcome> updated = updates.processValues(
                new AccountForProfiles(PROFILES, COUNTS), Named.as("account-for-profiles"), PROFILES, COUNTS);
        account.settle(
                Intake.COUNTING,
                only(Arrival.Settled.class, arrivals, "settled")
                        .mapValues(Arrival.Settled::outcome, Named.as("take-outcomes"))
                        .merge(
                                only(Arrival.Came.class, arrivals, "came")
                                        .filter((key, came) -> came.late() && !came.over(), Named.as("take-late"))
                                        .mapValues(correct::late, Named.as("say-why-late")),
                                Named.as("gather-late"))
                        .merge(
                                only(Result.Settled.class, corrections, "settled-late")
                                        .mapValues(Result.Settled::outcome, Named.as("take-late-outcomes")),
                                Named.as("gather-corrections"))
                        .merge(updated, Named.as("gather-profiles")));
    }

    private static boolean mayMerge(Arrival arrival) {
        return arrival instanceof Arrival.Ticked || arrival instanceof Arrival.Came came && !came.over();
    }

    private static boolean mustCorrect(Arrival arrival) {
        return arrival instanceof Arrival.Ticked || arrival instanceof Arrival.Came came && came.over();
    }

    private EventClock eventClock() {
        return new EventClock(
                windows,
                settings.grace(),
                settings.correctUntil(),
                settings.intake().alignment(partitions),
                Duration.ZERO,
                settings.stateTerms(),
                COUNTS);
    }

    /** The operator holds a session back until its end plus the gap lies before the last closed second's end. */
    private Duration sessionGrace() {
        return Duration.ofMillis(windows.gracePeriodMs() + 1);
    }

    /**
     * Ticks run ahead of the watermark by the grace and, at the end of the input, by the gap; and at each, sessions of the
     * last step are published.
     */
    private Duration retention() {
        return settings.reach()
                .plus(sessionGrace().multipliedBy(2))
                .plus(gap.multipliedBy(3))
                .plus(PlaceEvents.STEP);
    }

    private Materialized<String, Session, SessionStore<Bytes, byte[]>> inSessions() {
        return Materialized.<String, Session, SessionStore<Bytes, byte[]>>as(SessionBook.SESSIONS)
                .withKeySerde(Serdes.String())
                .withValueSerde(Session.serde())
                .withRetention(retention())
                .withCachingDisabled() // Others write to the store, too.
                .withLoggingEnabled(KEPT);
    }

    private static <V> Materialized<String, V, KeyValueStore<Bytes, byte[]>> in(String store, Serde<V> values) {
        return Materialized.<String, V, KeyValueStore<Bytes, byte[]>>as(store)
                .withKeySerde(Serdes.String())
                .withValueSerde(values)
                .withCachingEnabled()
                .withLoggingEnabled(Map.of());
    }

    private Produced<SessionRow.Id, SessionRow> asSessions(String name) {
        String pipeline = settings.pipeline();
        int scale = settings.input().amountScale();
        String fingerprint = settings.fingerprint();
        return new ResultRows<SessionRow.Id, SessionRow>(
                        SessionRow.Id::key, id -> id.toJson(pipeline), row -> row.toJson(pipeline, scale, fingerprint))
                .named(name);
    }
}
