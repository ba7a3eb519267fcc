package dev.tidemark.reconcile;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Recounts pipelines: once, with a report and an exit code, or on a schedule. */
@SpringBootApplication
@EnableConfigurationProperties(ReconcileProperties.class)
public class ReconcileApplication {

    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        CommandLine asked;
        try {
            asked = CommandLine.parse(args);
        } catch (IllegalArgumentException e) {
            out.println(e.getMessage());
            out.flush();
            System.exit(Run.UNKNOWN);
            return;
        }
        if (asked.once()) {
            System.exit(exitCode(out, args));
        }
        start(args);
    }

    /** Of an error the JVM would exit with 1, which says that something differs. */
    private static int exitCode(PrintStream out, String... args) {
        try {
            return once(out, args);
        } catch (Error e) { // Such as a heap that is too small, or a library that cannot be loaded.
            out.println("Could not tell: " + e);
            out.flush();
            return Run.UNKNOWN;
        }
    }

    /** Runs until it is closed, and recounts as {@code tidemark.reconcile.every} says. */
    public static ConfigurableApplicationContext start(String... settings) {
        ConfigurableApplicationContext context = app().run(settings);
        try {
            context.getBean(Schedule.class).start();
            return context;
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    /**
     * Recounts now.
     *
     * @param out where progress and report go
     * @param arguments as on the command line
     * @return the exit code: 0 nothing differs, 1 something does, 2 could not tell
     */
    public static int once(PrintStream out, String... arguments) {
        CommandLine asked = CommandLine.parse(arguments);
        try (ConfigurableApplicationContext context = app().web(WebApplicationType.NONE)
                .properties("logging.level.root=warn")
                .run(asked.rest().toArray(String[]::new))) {
            return once(asked, context.getBean(Pipelines.class), context.getBean(Reconciler.class), out);
        } catch (RuntimeException e) {
            return couldNotTell(out, e);
        }
    }

    /** Its own settings are not named like those of other apps, beside which it may run in one JVM. */
    private static SpringApplicationBuilder app() {
        return new SpringApplicationBuilder(ReconcileApplication.class).properties("spring.config.name=reconcile");
    }

    private static int once(CommandLine asked, Pipelines pipelines, Reconciler reconciler, PrintStream out) {
        List<Target> chosen = pipelines.targets().stream()
                .filter(target -> asked.pipeline() == null || asked.pipeline().equals(target.pipeline()))
                .toList();
        if (chosen.isEmpty()) {
            throw new CouldNotTellException("There are no settings of a pipeline " + asked.pipeline()
                    + "; name its file with tidemark.reconcile.pipelines or --spring.config.additional-location.");
        }
        int worst = Run.EQUAL;
        for (Target target : chosen) {
            Span span = Span.parse(asked.from(), asked.to(), target.zone());
            if (asked.replayWith() != null) {
                Duration grace = WhatIf.grace(asked.replayWith());
                reconciler.replay(target, span, grace, new ProgressBar(out), out);
                continue;
            }
            Run run = reconciler.recount(target, span, asked.correct(), new ProgressBar(out));
            new Report(out).print(run);
            worst = Math.max(worst, run.exitCode());
        }
        return worst;
    }

    private static int couldNotTell(PrintStream out, RuntimeException e) {
        out.println("Could not tell: " + sentence(e));
        out.flush();
        return Run.UNKNOWN;
    }

    /** What was foreseen says what to do; of anything else the innermost cause says most. */
    private static String sentence(RuntimeException e) {
        Throwable cause = e;
        while (cause.getCause() != null && !(cause instanceof CouldNotTellException)) {
            cause = cause.getCause();
        }
        return e instanceof IllegalArgumentException ? e.getMessage() : cause.getMessage();
    }

    @Bean
    Pipelines pipelines(ReconcileProperties properties, Environment environment) {
        return Pipelines.of(properties.pipelines(), environment);
    }

    @Bean
    Surroundings surroundings(
            ReconcileProperties properties,
            KafkaAdmin kafka,
            JdbcClient jdbc,
            PlatformTransactionManager transactions) {
        Map<String, Object> clients = new HashMap<>(kafka.getConfigurationProperties());
        return new Surroundings(clients, properties.patience(), jdbc, new TransactionTemplate(transactions));
    }

    @Bean
    Reconciler reconciler(ReconcileProperties properties, Surroundings surroundings, JdbcTemplate jdbc) {
        return new Reconciler(properties, surroundings, new RunStore(jdbc, surroundings.transactions()));
    }

    @Bean
    EventSearch eventSearch(ReconcileProperties properties, Pipelines pipelines, Surroundings surroundings) {
        return new EventSearch(pipelines, properties.last(), surroundings, properties.sinkGroups());
    }

    @Bean
    Schedule schedule(ReconcileProperties properties, Pipelines pipelines, Reconciler reconciler) {
        return new Schedule(properties, pipelines, reconciler);
    }
}
