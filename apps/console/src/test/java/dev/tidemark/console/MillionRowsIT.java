package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.embedded.EmbeddedDatabase;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No page takes 200 ms over a million rows, the database included. */
@Tag("thorough")
class MillionRowsIT {

    private static final int TIMES = 7;
    private static final long LIMIT_MILLIS = 200;

    private static final List<String> PAGES = List.of(
            "/?pipeline=big",
            "/?pipeline=big&key=K100",
            "/?pipeline=big&corrected=true",
            "/?pipeline=big&until=2026-06-05T00:00:00Z&after=K100",
            "/?pipeline=big&asof=1780930000&now=1790000000",
            "/window?pipeline=big&key=K100&start=2026-06-05T00:00:00Z",
            "/event?id=d77777",
            "/event?id=O20",
            "/ledger?pipeline=big",
            "/grace?pipeline=big",
            "/pairs?pipeline=big",
            "/pairs?pipeline=big&span=WEEK",
            "/profile?key=K100",
            "/publish?pipeline=big&day=2026-06-10",
            "/health");

    @TempDir
    private static Path directory;

    @Test
    void everyPageIsThereInTime() throws Exception {
        try (EmbeddedDatabase database = EmbeddedDatabase.start(directory, 0)) {
            database.migrate();
            fill(database);
            try (ConsoleServer console = ConsoleServer.start(database)) {
                Map<String, Long> millis = new LinkedHashMap<>();
                PAGES.forEach(page -> millis.put(page, median(console, page)));
                millis.forEach((page, median) -> System.out.printf("%4d ms  %s%n", median, page));

                assertThat(millis.values()).allMatch(median -> median < LIMIT_MILLIS);
            }
        }
    }

    private static long median(ConsoleServer console, String page) {
        long[] millis = new long[TIMES];
        console.page(page);
        for (int i = 0; i < TIMES; i++) {
            long begin = System.nanoTime();
            console.page(page);
            millis[i] = (System.nanoTime() - begin) / 1_000_000;
        }
        Arrays.sort(millis);
        return millis[TIMES / 2];
    }

    private static void fill(EmbeddedDatabase database) throws Exception {
        try (InputStream script = MillionRowsIT.class.getResourceAsStream("/million.sql");
                var connection = database.dataSource().getConnection();
                var statement = connection.createStatement()) {
            // One by one, because vacuum wants to be alone.
            for (String sql : new String(script.readAllBytes(), StandardCharsets.UTF_8).split(";\n")) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
