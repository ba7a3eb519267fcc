package dev.tidemark.demo;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The terminal that standard output is connected to. Java cannot tell whether it is one, nor its size, so the tools
 * {@code test} and {@code stty} are asked; where they are missing, it is taken for a pipe.
 *
 * @param width number of columns
 * @param height number of lines
 */
record Terminal(int width, int height) {

    private static final Terminal USUAL = new Terminal(80, 24);

    /** Whether standard output is a terminal that understands control sequences. */
    static boolean isPresent() {
        String term = System.getenv("TERM");
        if (term == null || term.isEmpty() || term.equals("dumb")) {
            return false;
        }
        try {
            return new ProcessBuilder("test", "-t", "1").inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The size at the moment, or 80 by 24 where it cannot be found out. */
    static Terminal current() throws InterruptedException {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            stty.waitFor(1, TimeUnit.SECONDS);
            if (!size.matches("[1-9]\\d{0,4} [1-9]\\d{0,4}")) {
                return USUAL;
            }
            String[] parts = size.split(" ");
            return new Terminal(Integer.parseInt(parts[1]), Integer.parseInt(parts[0]));
        } catch (IOException e) {
            return USUAL;
        }
    }
}
