package dev.tidemark.common;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;

/**
 * The directory of a pipeline's local state, held by one process at a time. Kafka Streams has a lock there, too, but
 * says that it is taken in a stack trace; a process that ends in whatever way gives up both.
 */
final class StateDirectory implements AutoCloseable {

    private static final String LOCK = "in-use.lock";
    private static final String SETTING = "spring.kafka.streams.properties.state.dir";

    private final Path path;
    private FileChannel channel;

    /** @param streamsProperties the settings that the streams client will be given */
    StateDirectory(Properties streamsProperties) {
        this.path = Path.of(
                        streamsProperties.get(StreamsConfig.STATE_DIR_CONFIG).toString(),
                        streamsProperties
                                .get(StreamsConfig.APPLICATION_ID_CONFIG)
                                .toString())
                .toAbsolutePath();
    }

    /**
     * Makes the directory if it is missing, and holds it until {@link #close}.
     *
     * @throws StartRefusedException if another process holds it, or if it cannot be written to
     */
    void hold() {
        if (channel != null) {
            return;
        }
        try {
            if (!Files.isDirectory(path)) {
                Files.createDirectories(path);
            }
            channel = lock();
        } catch (OverlappingFileLockException e) {
            throw new StartRefusedException(
                    "The state directory " + path
                            + " is in use by another process; stop that one, or give this one its own " + SETTING + ".",
                    e);
        } catch (IOException e) {
            throw new StartRefusedException(
                    "Cannot write to the state directory " + path + " (" + e + "); set " + SETTING
                            + " to one that this process may write to.",
                    e);
        }
    }

    /** @throws OverlappingFileLockException if it is held, as of itself for what is held in this JVM */
    private FileChannel lock() throws IOException {
        FileChannel opened = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = opened.tryLock();
            if (lock == null) {
                throw new OverlappingFileLockException();
            }
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }
}
