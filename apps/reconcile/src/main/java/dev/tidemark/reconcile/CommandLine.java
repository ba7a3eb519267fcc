package dev.tidemark.reconcile;

import java.util.ArrayList;
import java.util.List;

/**
 * What the user asks for.
 *
 * @param once recount now, print, and end
 * @param pipeline name of the one pipeline; null: all of them
 * @param from begin of the span as written; null: none
 * @param to end of the span as written; null: none
 * @param correct ask the app to publish what was recounted, where it is proved
 * @param rest arguments that are settings
 */
record CommandLine(boolean once, String pipeline, String from, String to, boolean correct, List<String> rest) {

    static CommandLine parse(String... arguments) {
        boolean once = false;
        String pipeline = null;
        String from = null;
        String to = null;
        boolean correct = false;
        List<String> rest = new ArrayList<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String value = equals < 0 ? "" : argument.substring(equals + 1);
            switch (equals < 0 ? argument : argument.substring(0, equals)) {
                case "--once" -> once = true;
                case "--correct" -> correct = true;
                case "--pipeline" -> pipeline = required(argument, value);
                case "--from" -> from = required(argument, value);
                case "--to" -> to = required(argument, value);
                default -> rest.add(argument);
            }
        }
        if (!once && (pipeline != null || from != null || to != null || correct)) {
            throw new IllegalArgumentException("--pipeline, --from, --to and --correct belong to --once; add it.");
        }
        return new CommandLine(once, pipeline, from, to, correct, rest);
    }

    private static String required(String argument, String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException(argument + " needs a value, such as --from=2026-07-01.");
        }
        return value;
    }
}
