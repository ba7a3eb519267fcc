package dev.tidemark.profiles;

import dev.tidemark.common.JsonRow;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.streams.state.HostInfo;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers what the row of a key says, from this instance or from the one that has the key. An answer is the row, 404 if it
 * is certain that there is none, or 503 if nothing is certain at the moment.
 */
@RestController
@ConditionalOnWebApplication
class ProfileLookup {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    /** Says who answers: where an instance was, another app may be now. */
    private static final String APPLICATION = "Tidemark-Application";

    private final Profiles profiles;
    private final ServerProperties server;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    ProfileLookup(Profiles profiles, ServerProperties server) {
        this.profiles = profiles;
        this.server = server;
    }

    /** The web server is there before the streams client starts. */
    @EventListener
    void listen(WebServerInitializedEvent event) throws UnknownHostException, SocketException {
        if (event.getApplicationContext().getServerNamespace() != null) {
            return; // another server, such as that of the actuator
        }
        InetAddress address = server.getAddress();
        boolean any = address == null || address.isAnyLocalAddress();
        InetAddress reachable = any ? thisHost() : address;
        profiles.listenAt(reachable.getHostAddress(), event.getWebServer().getPort());
    }

    /** Some systems know their own name as one of the loopback addresses, which means others to others. */
    private static InetAddress thisHost() throws UnknownHostException, SocketException {
        InetAddress named = InetAddress.getLocalHost();
        if (!named.isLoopbackAddress()) {
            return named;
        }
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address
                        && !address.isLoopbackAddress()
                        && !address.isLinkLocalAddress())
                .findFirst()
                .orElse(named);
    }

    /** The key is the rest of the path, percent-encoded as UTF-8. */
    @GetMapping("/profiles/**")
    ResponseEntity<byte[]> byPath(HttpServletRequest request) {
        String path = request.getRequestURI();
        String start = request.getContextPath() + "/profiles/";
        if (!path.startsWith(start)) {
            return problem(HttpStatus.BAD_REQUEST, "the key is the rest of the path after /profiles/");
        }
        try {
            // Only in forms does a plus stand for a space.
            String bytes =
                    URLDecoder.decode(path.substring(start.length()).replace("+", "%2B"), StandardCharsets.ISO_8859_1);
            String key = StandardCharsets.UTF_8
                    .newDecoder() // Unlike others, it refuses what is no UTF-8.
                    .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
            return key.isEmpty() ? noKey() : find(key);
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return problem(HttpStatus.BAD_REQUEST, "the key is not percent-encoded UTF-8");
        }
    }

    /**
     * The key as a parameter, for those who cannot encode a path.
     *
     * @param partitions partitions that this instance is thought to have; only set by another instance, which is never
     *     sent on to a third
     */
    @GetMapping("/profiles")
    ResponseEntity<byte[]> byParameter(
            @RequestParam(required = false) String key, @RequestParam(required = false) Set<Integer> partitions) {
        if (key == null || key.isEmpty()) {
            return noKey();
        }
        if (partitions != null && partitions.isEmpty()) {
            return problem(HttpStatus.BAD_REQUEST, "partitions is empty");
        }
        return partitions == null ? find(key) : findHere(key, partitions);
    }

    private ResponseEntity<byte[]> find(String key) {
        try {
            HostInfo self = profiles.self();
            ResponseEntity<byte[]> doubt = null;
            for (Map.Entry<HostInfo, Set<Integer>> owner : profiles.owners(key).entrySet()) {
                ResponseEntity<byte[]> answer = owner.getKey().equals(self)
                        ? findHere(key, owner.getValue())
                        : ask(owner.getKey(), key, owner.getValue());
                if (answer.getStatusCode() == HttpStatus.OK) {
                    return answer;
                }
                doubt = answer.getStatusCode() == HttpStatus.NOT_FOUND ? doubt : answer;
            }
            return doubt == null ? unknown() : doubt;
        } catch (Profiles.NotNow e) {
            return notNow(e.getMessage());
        }
    }

    private ResponseEntity<byte[]> findHere(String key, Set<Integer> partitions) {
        try {
            Optional<byte[]> row = profiles.find(key, partitions);
            return row.map(this::row).orElseGet(this::unknown);
        } catch (Profiles.NotNow e) {
            return notNow(e.getMessage());
        }
    }

    private ResponseEntity<byte[]> ask(HostInfo owner, String key, Set<Integer> partitions) {
        String list = new TreeSet<>(partitions).stream().map(String::valueOf).collect(Collectors.joining(","));
        String host = owner.host().contains(":") ? "[" + owner.host() + "]" : owner.host();
        URI uri = URI.create("http://" + host + ":" + owner.port() + contextPath() + "/profiles?partitions=" + list
                + "&key=" + URLEncoder.encode(key, StandardCharsets.UTF_8));
        try {
            HttpResponse<byte[]> answer = http.send(
                    HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofByteArray());
            int status = answer.statusCode();
            boolean certain = status == HttpStatus.OK.value() || status == HttpStatus.NOT_FOUND.value();
            if (certain && !isOfThisApp(answer)) {
                return notNow("what answers at " + owner.host() + ":" + owner.port() + " is not this app");
            }
            return switch (status) {
                case 200 -> row(answer.body());
                case 404 -> unknown();
                default -> notNow("the instance at " + owner.host() + ":" + owner.port() + " cannot tell now");
            };
        } catch (IOException e) {
            return notNow("the instance at " + owner.host() + ":" + owner.port() + " does not answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return notNow("the app is being stopped");
        }
    }

    private String contextPath() {
        String path = server.getServlet().getContextPath();
        return path == null ? "" : path;
    }

    private boolean isOfThisApp(HttpResponse<byte[]> answer) {
        return answer.headers().firstValue(APPLICATION).equals(Optional.of(profiles.applicationId()));
    }

    private ResponseEntity<byte[]> row(byte[] json) {
        return answer(HttpStatus.OK).contentType(MediaType.APPLICATION_JSON).body(json);
    }

    private ResponseEntity<byte[]> noKey() {
        return problem(HttpStatus.BAD_REQUEST, "there is no key");
    }

    private ResponseEntity<byte[]> unknown() {
        return problem(HttpStatus.NOT_FOUND, "there is no profile with this key");
    }

    private ResponseEntity<byte[]> notNow(String why) {
        return problem(HttpStatus.SERVICE_UNAVAILABLE, why + "; try again");
    }

    private ResponseEntity<byte[]> problem(HttpStatus status, String detail) {
        byte[] body = new JsonRow()
                .number("status", status.value())
                .text("title", status.getReasonPhrase())
                .text("detail", detail)
                .toBytes();
        ResponseEntity.BodyBuilder answer = answer(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (status == HttpStatus.SERVICE_UNAVAILABLE) {
            answer.header(HttpHeaders.RETRY_AFTER, "1");
        }
        return answer.body(body);
    }

    private ResponseEntity.BodyBuilder answer(HttpStatus status) {
        return ResponseEntity.status(status).header(APPLICATION, profiles.applicationId());
    }
}
