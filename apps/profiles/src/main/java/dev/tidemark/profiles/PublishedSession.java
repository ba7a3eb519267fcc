package dev.tidemark.profiles;

import org.apache.kafka.common.serialization.Serde;

/**
 * What the latest row of a session says that is part of no other.
 *
 * @param version the row's version
 * @param session the session as published
 */
record PublishedSession(int version, Session session) {

    boolean says(Session other) {
        return session.start() == other.start() && session.end() == other.end() && session.count() == other.count();
    }

    static Serde<PublishedSession> serde() {
        return Binary.serde(
                (published, out) -> {
                    out.writeInt(published.version);
                    published.session.write(out);
                },
                in -> new PublishedSession(in.readInt(), Session.read(in)));
    }
}
