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
 * @param replayWith what is replayed with, {@code grace=10m}, instead of a recount; null: nothing
 * @param rest arguments that are settings
 */
record CommandLine(
        boolean once, String pipeline, String from, String to, boolean correct, String replayWith, List<String> rest) {

    static CommandLine parse(String... arguments) {
        boolean once = false;
        String pipeline = null;
        String from = null;
        String to = null;
        boolean correct = false;
        String replayWith = null;
        List<String> rest = new ArrayList<>();
        for (String argument : joined(arguments)) {
            int equals = argument.indexOf('=');
            String value = equals < 0 ? "" : argument.substring(equals + 1);
            switch (equals < 0 ? argument : argument.substring(0, equals)) {
                case "--once" -> once = alone(argument);
                case "--correct" -> correct = alone(argument);
                case "--replay-with" -> replayWith = required(argument, value);
                case "--pipeline" -> pipeline = required(argument, value);
                case "--from" -> from = required(argument, value);
                case "--to" -> to = required(argument, value);
                default -> rest.add(setting(argument));
            }
        }
        if (!once && (pipeline != null || from != null || to != null || correct || replayWith != null)) {
            throw new IllegalArgumentException(
                    "--pipeline, --from, --to, --correct and --replay-with belong to --once; add it.");
        }
        if (correct && replayWith != null) {
            throw new IllegalArgumentException("--replay-with publishes nothing, so --correct has no place beside it.");
        }
        return new CommandLine(once, pipeline, from, to, correct, replayWith, rest);
    }

    /** What is replayed with may follow its option without a sign between them. */
    private static List<String> joined(String... arguments) {
        List<String> joined = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            boolean takesNext = arguments[i].equals("--replay-with") && i + 1 < arguments.length;
            joined.add(takesNext ? arguments[i] + "=" + arguments[++i] : arguments[i]);
        }
        return joined;
    }

    private static boolean alone(String argument) {
        if (argument.contains("=")) {
            throw new IllegalArgumentException(argument + " is not known; the option has no value.");
        }
        return true;
    }

    /** The names of settings have dots. */
    private static String setting(String argument) {
        if (argument.startsWith("--") && !argument.matches("--(debug|trace|[^=]*\\..*)")) {
            throw new IllegalArgumentException(argument
                    + " is not known; there are --once, --pipeline, --from, --to, --correct and --replay-with, and settings"
                    + " such as --spring.config.additional-location.");
        }
        return argument;
    }

    private static String required(String argument, String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException(argument + " needs a value, such as --from=2026-07-01.");
        }
        return value;
    }
}
