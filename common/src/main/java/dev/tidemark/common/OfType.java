package dev.tidemark.common;

import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** Takes from a stream what is of one type. */
public final class OfType {

    private OfType() {}

    /**
     * The records whose value is of a type; the others are left out.
     *
     * @param name what the two operators are called, behind {@code take-} and {@code as-}
     */
    public static <V, T extends V> KStream<String, T> only(Class<T> type, KStream<String, V> items, String name) {
        return items.filter((key, item) -> type.isInstance(item), Named.as("take-" + name))
                .mapValues(type::cast, Named.as("as-" + name));
    }
}
