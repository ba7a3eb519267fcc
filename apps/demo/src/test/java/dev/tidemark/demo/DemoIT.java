package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small file goes through the whole demo: broker, app, sinks, database. */
class DemoIT {

    private static final String SETTINGS = """
            tidemark:
              totals:
                pipeline: shop
                input:
                  topic: shop-orders
                  partitioned-by-key: true
                  event-id: /row
                  key: /country
                  event-time: /time
                  event-time-format: iso-8601-local
                  event-time-zone: UTC
                  amount: [/quantity, /price]
                  amount-scale: 2
                window: { calendar: day, zone: UTC }
                grace: 1h
                accept-end-of-input: true
            """;

    /** The fifth row comes when its day has been closed by the fourth. */
    private static final String FILE = """
            country,time,quantity,price
            France,2011-12-01 10:00:00,2,1.25
            France,2011-12-01 11:00:00,-1,1.25
            Norway,2011-12-01 11:00:00,3,0.10
            France,2011-12-02 12:00:00,1,100.00
            France,2011-12-01 09:00:00,1,7.00
            France,yesterday,1,1.00
            """;

    @TempDir
    Path directory;

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

    @Test
    void aFileIsProcessedToTheLastRowAndSummarised() throws IOException, InterruptedException {
        Path file = Files.writeString(directory.resolve("orders.csv"), FILE);
        Path settings = Files.writeString(directory.resolve("orders.yml"), SETTINGS);
        Map<String, String> options = new HashMap<>();
        options.put("feed.file", file.toString());
        options.put("demo.settings", settings.toString());
        Path data = directory.resolve("data");
        Files.createDirectories(data);

        try (PrintStream out = new PrintStream(shown, true, StandardCharsets.UTF_8);
                Demo demo = new Demo(DemoProperties.of(options), data, DemoLog.to(data.resolve("demo.log")), out)) {
            demo.run();
        }

        assertThat(shown.toString(StandardCharsets.UTF_8))
                .contains("6 events sent, 3 windows in totals_current, grand total 108.55")
                .contains("received 6 = counted 4 + late 1 + malformed 1 (difference 0)")
                .contains("amounts 108.55 = 108.55 (difference 0.00)");
    }
}
