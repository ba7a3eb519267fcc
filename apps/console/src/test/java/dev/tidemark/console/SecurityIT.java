package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.StartRefusedException;
import dev.tidemark.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Who may read what, from where. */
@ExtendWith(OutputCaptureExtension.class)
class SecurityIT {

    private static final String PASSWORD = "correct horse battery";

    @TempDir
    private static Path directory;

    private static EmbeddedDatabase database;
    private static ConsoleServer open;

    @BeforeAll
    static void start() {
        database = EmbeddedDatabase.start(directory, 0);
        database.migrate();
        open = ConsoleServer.start(database);
    }

    @AfterAll
    static void stop() {
        open.close();
        database.close();
    }

    @Test
    void anAddressThatOthersReachIsRefusedWithoutAPassword() {
        assertThatThrownBy(() ->
                        ConsoleServer.start(database, "server.address=0.0.0.0").close())
                .hasRootCauseInstanceOf(StartRefusedException.class)
                .rootCause()
                .hasMessageContaining("tidemark.console.password is missing");
    }

    @Test
    void thePolicyAllowsNothingButTheConsolesOwnFiles() {
        HttpResponse<String> page = open.get("/");

        assertThat(page.headers().firstValue("Content-Security-Policy")).hasValueSatisfying(policy -> assertThat(policy)
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe"));
        assertThat(page.headers().firstValue("X-Frame-Options")).hasValue("DENY");
        assertThat(page.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    }

    @Test
    void whatThePagesNeedIsThere() {
        for (String file : new String[] {
            "/static/console.css",
            "/static/console.js",
            "/static/icon.svg",
            "/webjars/htmx.org/dist/htmx.min.js",
            "/webjars/uplot/dist/uPlot.iife.min.js",
            "/webjars/uplot/dist/uPlot.min.css"
        }) {
            assertThat(open.get(file).statusCode()).as(file).isEqualTo(200);
        }
    }

    @Test
    void anotherSiteCannotChangeAnything() {
        assertThat(open.post("/preferences", "theme=dark").statusCode()).isEqualTo(403);

        HttpResponse<String> page = open.get("/");
        String cookie = page.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
        HttpResponse<String> changed =
                open.post("/preferences", "theme=dark&back=/ledger&_csrf=" + token(page.body()), "Cookie", cookie);

        assertThat(changed.statusCode()).isEqualTo(303);
        assertThat(changed.headers().firstValue("Location")).hasValue("/ledger");
        assertThat(changed.headers().allValues("Set-Cookie")).anyMatch(set -> set.startsWith("theme=dark;"));
    }

    @Test
    void nobodyIsSentToAnotherSite() {
        HttpResponse<String> page = open.get("/");
        String cookie = page.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");

        for (String back : new String[] {"//evil.example", "https://evil.example", "/\\evil.example", "/a%0d%0ab"}) {
            HttpResponse<String> changed =
                    open.post("/preferences", "back=" + back + "&_csrf=" + token(page.body()), "Cookie", cookie);
            assertThat(changed.headers().firstValue("Location")).as(back).hasValue("/");
        }
    }

    @Test
    void withoutAPasswordNoOtherNameIsAnswered() throws IOException {
        assertThat(statusLine("127.0.0.1")).contains(" 200");
        assertThat(statusLine("localhost")).contains(" 200");
        assertThat(statusLine("rebound.example")).contains(" 400");
    }

    @Test
    void withAPasswordNothingIsReadWithoutIt(CapturedOutput output) {
        try (ConsoleServer closed =
                ConsoleServer.start(database, "tidemark.console.password=" + PASSWORD, "server.address=0.0.0.0")) {
            for (Question question : Question.values()) {
                HttpResponse<String> page = closed.get(question.path());
                assertThat(page.statusCode()).isEqualTo(302);
                assertThat(page.headers().firstValue("Location"))
                        .hasValueSatisfying(to -> assertThat(to).endsWith("/login"));
            }
            HttpResponse<String> api = closed.get("/api/publishable?pipeline=sales&day=2026-07-01");
            assertThat(api.statusCode()).isEqualTo(401);
            assertThat(closed.get("/actuator/health").statusCode()).isNotEqualTo(200);
            assertThat(closed.get("/login").body()).contains("autocomplete=\"current-password\"");
            // What the login page needs, and no more.
            assertThat(closed.get("/static/console.css").statusCode()).isEqualTo(200);
            assertThat(closed.get("/webjars/htmx.org/dist/htmx.min.js").statusCode())
                    .isEqualTo(302);

            assertThat(closed.get("/", "Authorization", basic("tidemark:" + PASSWORD))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(closed.get("/", "Authorization", basic("tidemark:wrong")).statusCode())
                    .isEqualTo(401);
            assertThat(closed.get("/", "Authorization", basic("tidemark:" + PASSWORD))
                            .body())
                    .doesNotContain("horse");
        }
        assertThat(output.getAll()).doesNotContain("horse");
    }

    @Test
    void thePasswordOpensThePagesThroughTheForm() {
        try (ConsoleServer closed = ConsoleServer.start(database, "tidemark.console.password=" + PASSWORD)) {
            HttpResponse<String> form = closed.get("/login");
            String cookie =
                    form.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
            String fields = "username=tidemark&password=correct+horse+battery&_csrf=" + token(form.body());

            HttpResponse<String> in = closed.post("/login", fields, "Cookie", cookie);
            String session = in.headers().allValues("Set-Cookie").stream()
                    .filter(set -> set.startsWith("JSESSIONID="))
                    .findFirst()
                    .orElseThrow();

            assertThat(session).contains("HttpOnly").contains("SameSite=Lax");
            assertThat(closed.get("/", "Cookie", session.replaceFirst(";.*", ""))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static String token(String page) {
        Matcher token = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"").matcher(page);
        assertThat(token.find()).isTrue();
        return token.group(1);
    }

    private static String basic(String credentials) {
        return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
    }

    private static String statusLine(String host) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", open.port())) {
            socket.getOutputStream()
                    .write(("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
        }
    }
}
