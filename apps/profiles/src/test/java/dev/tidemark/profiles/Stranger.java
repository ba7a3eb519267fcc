package dev.tidemark.profiles;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The same app of another pipeline, at an address that was that of an instance: it has a row of the key, or is certain that
 * there is none.
 */
final class Stranger implements AutoCloseable {

    private static final byte[] ANSWER =
            "{\"pipeline\":\"other\",\"key\":\"other\",\"count\":7,\"amount\":7.00}".getBytes(StandardCharsets.UTF_8);

    private final AtomicInteger asked = new AtomicInteger();
    private final HttpServer server;

    Stranger(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", exchange -> {
            int status = asked.incrementAndGet() % 2 == 0 ? 200 : 404;
            exchange.getResponseHeaders().set("Tidemark-Application", "other-profiles");
            exchange.sendResponseHeaders(status, ANSWER.length);
            exchange.getResponseBody().write(ANSWER);
            exchange.close();
        });
        server.start();
    }

    /** How often it was asked. */
    int asked() {
        return asked.get();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
