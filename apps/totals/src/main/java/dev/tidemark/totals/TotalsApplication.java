package dev.tidemark.totals;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Runs the totals app. */
@SpringBootApplication
public class TotalsApplication {

    public static void main(String[] args) {
        SpringApplication.run(TotalsApplication.class, args);
    }
}
