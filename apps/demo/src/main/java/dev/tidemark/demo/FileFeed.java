package dev.tidemark.demo;

import dev.tidemark.common.InputMapping;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

/** Sends the records of a file with the event's key as record key, as fast as possible or at a given rate. */
final class FileFeed implements Feed {

    private final FeedFile file;
    private final String name;
    private final List<JsonPointer> key;
    private final Pace pace;
    private final long started = System.nanoTime();

    FileFeed(Path path, InputMapping input, Pace pace) {
        this.file = FeedFile.open(path);
        this.name = path.getFileName().toString();
        this.key = input.key().stream().map(JsonPointer::compile).toList();
        this.pace = pace;
    }

    @Override
    public void run(EventSender sender) throws InterruptedException {
        try (file) {
            for (FeedFile.Row row = file.next(); row != null; row = file.next()) {
                pace.await();
                sender.send(key(row.node()), row.value());
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String progress() {
        double seconds = (System.nanoTime() - started) / (double) TimeUnit.SECONDS.toNanos(1);
        return "%s: %,d rows, %,.0f rows/s, %.0f %% read"
                .formatted(name, file.rows(), file.rows() / seconds, 100 * file.fractionRead());
    }

    /** The texts under the key's pointers, or null where one is missing. */
    private String key(JsonNode node) {
        StringBuilder text = new StringBuilder();
        for (JsonPointer pointer : key) {
            JsonNode part = node.at(pointer);
            if (!part.isValueNode() || part.isNull()) {
                return null;
            }
            text.append(text.isEmpty() ? "" : "\0").append(part.asString());
        }
        return text.toString();
    }
}
