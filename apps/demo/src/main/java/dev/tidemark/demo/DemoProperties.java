package dev.tidemark.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The options of the demo, all of them system properties; blank is absent.
 *
 * <pre>
 * -Dfeed.file=FILE          send this CSV or JSON-lines file, plain or gzip, instead of the simulated cafés; then stop
 * -Dfeed.rate=NUMBER        events per second: the cafés' number of sales (30), or a limit for the file (none)
 * -Dfeed.speed=NUMBER       how much faster than the clock simulated time runs (60), or replay the file by event
 *                           time that many times faster
 * -Ddemo.settings=FILE      the totals app's settings (apps/demo/settings/cafes.yml, or the one named like the file)
 * -Ddemo.kafka-port=PORT    port of the broker; 0, the default of all ports, is a free one
 * -Ddemo.connect-port=PORT  port of the Connect worker
 * -Ddemo.postgres-port=PORT port of PostgreSQL
 * -Ddemo.http-port=PORT     port of the totals app's actuator
 * -Ddemo.console-port=PORT  port of the console (8080, or a free one if that is in use)
 * -Ddemo.data=DIRECTORY     keep all data there and continue with it (a temporary directory that is deleted)
 * -Ddemo.stay=true          keep running when the file has been processed
 * </pre>
 *
 * @param file the file to send, or empty for the simulated cafés
 * @param rate events per second, or empty
 * @param speed how much faster than the clock event time runs, or empty
 * @param settings the totals app's settings, an existing file
 * @param kafkaPort port of the broker, or 0
 * @param connectPort port of the Connect worker, or 0
 * @param postgresPort port of PostgreSQL, or 0
 * @param httpPort port of the totals app, or 0
 * @param consolePort port of the console, 0 for a free one, or empty for the usual one if it is free
 * @param data the directory to keep, or empty for a temporary one
 * @param stay whether to keep running when the file has been processed
 */
record DemoProperties(
        Optional<Path> file,
        Optional<Double> rate,
        Optional<Double> speed,
        Path settings,
        int kafkaPort,
        int connectPort,
        int postgresPort,
        int httpPort,
        Optional<Integer> consolePort,
        Optional<Path> data,
        boolean stay) {

    private static final Path SETTINGS = Path.of("apps", "demo", "settings");
    private static final Set<String> NAMES = Set.of(
            "feed.file",
            "feed.rate",
            "feed.speed",
            "demo.settings",
            "demo.kafka-port",
            "demo.connect-port",
            "demo.postgres-port",
            "demo.http-port",
            "demo.console-port",
            "demo.data",
            "demo.stay");

    DemoProperties {
        if (file.isPresent() && rate.isPresent() && speed.isPresent()) {
            throw new DemoException("A file is sent either at -Dfeed.rate or at -Dfeed.speed; give one of them.");
        }
    }

    /** Reads the options from the system properties. */
    static DemoProperties of(Map<String, String> properties) {
        refuseUnknown(properties);
        Options options = new Options(properties);
        Optional<Path> file = options.text("feed.file").map(value -> existingFile("feed.file", value));
        Path settings = options.text("demo.settings")
                .map(value -> existingFile("demo.settings", value))
                .orElseGet(() -> defaultSettings(file));
        return new DemoProperties(
                file,
                options.positive("feed.rate"),
                options.positive("feed.speed"),
                settings,
                options.port("demo.kafka-port"),
                options.port("demo.connect-port"),
                options.port("demo.postgres-port"),
                options.port("demo.http-port"),
                options.text("demo.console-port").map(port -> options.port("demo.console-port")),
                options.text("demo.data").map(DemoProperties::directory),
                options.flag("demo.stay"));
    }

    /** The settings in apps/demo/settings that are named like the file: online-retail.csv.gz and online-retail.yml. */
    private static Path defaultSettings(Optional<Path> file) {
        String name = file.map(path -> path.getFileName().toString().replaceFirst("\\..*", ""))
                .orElse("cafes");
        Path settings = SETTINGS.resolve(name + ".yml");
        if (!Files.isRegularFile(settings)) {
            throw new DemoException("There are no settings %s; say with -Ddemo.settings=FILE how to read the events."
                    .formatted(settings));
        }
        return settings;
    }

    private static Path existingFile(String name, String value) {
        Path file = Path.of(value);
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new DemoException("-D%s=%s is not a file that can be read.".formatted(name, value));
        }
        return file;
    }

    private static Path directory(String value) {
        Path directory = Path.of(value);
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new DemoException("-Ddemo.data=%s is not a directory.".formatted(value));
        }
        return directory.toAbsolutePath().normalize();
    }

    private static void refuseUnknown(Map<String, String> properties) {
        for (String name : new TreeSet<>(properties.keySet())) {
            if ((name.startsWith("demo.") || name.startsWith("feed.")) && !NAMES.contains(name)) {
                throw new DemoException("There is no option -D%s; there are %s."
                        .formatted(name, String.join(", ", new TreeSet<>(NAMES))));
            }
        }
    }

    private record Options(Map<String, String> properties) {

        Optional<String> text(String name) {
            return Optional.ofNullable(properties.get(name)).map(String::strip).filter(value -> !value.isEmpty());
        }

        Optional<Double> positive(String name) {
            return text(name).map(value -> {
                double number = number(value);
                if (!(number > 0) || Double.isInfinite(number)) {
                    throw new DemoException("-D%s=%s is not a number above 0.".formatted(name, value));
                }
                return number;
            });
        }

        int port(String name) {
            String value = text(name).orElse("0");
            double port = number(value);
            if (!(port >= 0 && port <= 65535) || port != Math.rint(port)) {
                throw new DemoException("-D%s=%s is not a port; give a number from 1 to 65535, or 0 for a free one."
                        .formatted(name, value));
            }
            return (int) port;
        }

        boolean flag(String name) {
            String value = text(name).orElse("false");
            if (!value.equals("true") && !value.equals("false")) {
                throw new DemoException("-D%s=%s is neither true nor false.".formatted(name, value));
            }
            return value.equals("true");
        }

        private static double number(String value) {
            try {
                return Double.parseDouble(value);
            } catch (NumberFormatException e) {
                return Double.NaN;
            }
        }
    }
}
