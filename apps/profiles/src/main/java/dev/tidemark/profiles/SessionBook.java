package dev.tidemark.profiles;

import dev.tidemark.common.Closing;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.ExactSum;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The sessions of a task as they are and as they were published. Sessions only ever grow: one that has become part of
 * another is never a session of its own again, so its start and a version name a row for good. Not thread-safe.
 */
final class SessionBook {

    /** The sessions as they are; written by the DSL, too. */
    static final String SESSIONS = "sessions";

    /** The sessions as the latest rows have them. */
    static final String PUBLISHED = "published-sessions";

    private final SessionStore<String, Session> sessions;
    private final SessionStore<String, PublishedSession> published;
    private final KeyValueStore<Long, Closing> closings;
    private final EventWindows windows;
    private final long gapMillis;
    /** How the end of the input closed the last windows, once it has. To find it, all closings are copied. */
    private Closing ending;

    /** @param context of a processor that is connected with these two stores and {@link EventClock#CLOSINGS} */
    SessionBook(ProcessorContext<?, ?> context, EventWindows windows, long gapMillis) {
        this.sessions = context.getStateStore(SESSIONS);
        this.published = context.getStateStore(PUBLISHED);
        this.closings = context.getStateStore(EventClock.CLOSINGS);
        this.windows = windows;
        this.gapMillis = gapMillis;
    }

    /** The store of what was published. */
    static StoreBuilder<?> published(Duration retention, Map<String, String> changelog) {
        return Stores.sessionStoreBuilder(
                        Stores.persistentSessionStore(PUBLISHED, retention), Serdes.String(), PublishedSession.serde())
                .withLoggingEnabled(changelog);
    }

    /** The session of a key that the time lies in, or null. */
    Session at(String key, long time) {
        List<Session> found = find(sessions, key, time, time);
        return found.isEmpty() ? null : found.get(0);
    }

    /** Adds a session to those that it touches, and returns what they make together. */
    Session add(String key, Session session) {
        Session all = session;
        for (Session touched : find(sessions, key, session.start() - gapMillis, session.end() + gapMillis)) {
            sessions.remove(window(key, touched));
            all = all.merge(touched);
        }
        sessions.put(window(key, all), all);
        return all;
    }

    /**
     * The rows that say what a finished session is now and what it has replaced; none if that was said before.
     *
     * @param first the version if nothing was published of it
     * @param streamTime the clock's time, which is taken where it was a late event that made the row
     */
    List<SessionRow> publish(String key, Session now, int first, long streamTime) {
        List<PublishedSession> old = find(published, key, now.start(), now.end());
        if (old.size() == 1 && old.get(0).says(now)) {
            return List.of();
        }
        Closing closing = Closing.of(windows.lastStartOf(now.end() + gapMillis), closings);
        String closedBy = (closing == null ? Closing.Cause.END_OF_INPUT : closing.cause()).label();
        boolean isFinal = old.isEmpty() && first == SessionRow.FINAL;
        long time = first == SessionRow.FINAL ? timeOf(closing, streamTime) : streamTime;
        List<SessionRow> rows = new ArrayList<>();
        for (PublishedSession one : old) {
            published.remove(window(key, one.session()));
            if (one.session().start() != now.start()) {
                rows.add(replaced(key, one, now, time, closedBy));
            }
        }
        SessionRow row = isFinal ? finished(key, now, time, closedBy) : corrected(key, now, old, time, closedBy);
        rows.add(row);
        Session named = now.named();
        sessions.put(window(key, named), named);
        published.put(window(key, named), new PublishedSession(row.id().version(), named));
        return rows;
    }

    /**
     * The clock's time when it finished a session; what the operator hands out then bears the end of the session. One that
     * would have lasted for longer was finished by the end of the input, which closed last of all.
     */
    private long timeOf(Closing closing, long otherwise) {
        if (closing != null) {
            return closing.streamTime();
        }
        if (ending == null) {
            ending = ending();
        }
        return ending == null ? otherwise : ending.streamTime();
    }

    private Closing ending() {
        try (KeyValueIterator<Long, Closing> lastFirst = closings.reverseAll()) {
            Closing last = lastFirst.hasNext() ? lastFirst.next().value : null;
            return last == null || last.cause() != Closing.Cause.END_OF_INPUT ? null : last;
        }
    }

    private static SessionRow finished(String key, Session now, long time, String closedBy) {
        SessionRow.Id id = new SessionRow.Id(key, now.start(), SessionRow.FINAL);
        return new SessionRow(id, now, null, List.of(), null, List.of(), time, closedBy);
    }

    private static SessionRow corrected(
            String key, Session now, List<PublishedSession> old, long time, String closedBy) {
        int version = SessionRow.FINAL + 1;
        List<Long> replaces = new ArrayList<>();
        ExactSum before = ExactSum.ZERO;
        for (PublishedSession one : old) {
            if (one.session().start() == now.start()) {
                version = one.version() + 1;
                before = one.session().amount();
            } else {
                replaces.add(one.session().start());
            }
        }
        SessionRow.Id id = new SessionRow.Id(key, now.start(), version);
        return new SessionRow(id, now, null, replaces, before, now.lateIds(), time, closedBy);
    }

    private static SessionRow replaced(String key, PublishedSession old, Session by, long time, String closedBy) {
        Session session = old.session();
        SessionRow.Id id = new SessionRow.Id(key, session.start(), old.version() + 1);
        return new SessionRow(id, session, by.start(), List.of(), session.amount(), by.lateIds(), time, closedBy);
    }

    private static Windowed<String> window(String key, Session session) {
        return new Windowed<>(key, new SessionWindow(session.start(), session.end()));
    }

    private static <T> List<T> find(SessionStore<String, T> store, String key, long from, long to) {
        List<T> found = new ArrayList<>();
        try (KeyValueIterator<Windowed<String>, T> all = store.findSessions(key, Math.max(0, from), to)) {
            while (all.hasNext()) {
                KeyValue<Windowed<String>, T> next = all.next();
                found.add(next.value);
            }
        }
        return found;
    }
}
