package dev.tidemark.bench;

import dev.tidemark.embedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;

/** A broker in a process of its own: prints its address and ends when its standard input does. */
final class Broker {

    private Broker() {}

    public static void main(String[] args) throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(Path.of(args[0]), 0)) {
            System.out.println(kafka.bootstrapServers());
            while (System.in.read() >= 0) {}
        }
    }
}
