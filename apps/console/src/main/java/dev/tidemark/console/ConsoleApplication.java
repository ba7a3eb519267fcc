package dev.tidemark.console;

import java.time.Clock;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Runs the console. */
@SpringBootApplication
@EnableConfigurationProperties(ConsoleProperties.class)
public class ConsoleApplication {

    /** Its own defaults are in {@code console.yml}, so that it can share a class path with apps that have others. */
    static final String CONFIG_NAMES = "--spring.config.name=console,application";

    public static void main(String[] args) {
        String[] all = new String[args.length + 1];
        all[0] = CONFIG_NAMES;
        System.arraycopy(args, 0, all, 1, args.length);
        SpringApplication.run(ConsoleApplication.class, all);
    }

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }
}
