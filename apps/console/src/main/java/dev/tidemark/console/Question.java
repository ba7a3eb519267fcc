package dev.tidemark.console;

import java.util.Locale;

/** The questions that the pages answer, in the order of the navigation. */
enum Question {
    TOTALS("/"),
    EVENT("/event"),
    LEDGER("/ledger"),
    GRACE("/grace"),
    PAIRS("/pairs"),
    PROFILE("/profile"),
    PUBLISH("/publish"),
    HEALTH("/health");

    private final String path;

    Question(String path) {
        this.path = path;
    }

    /** Where the page is. */
    public String path() {
        return path;
    }

    /** The key of the question in the messages. */
    public String key() {
        return "question." + name().toLowerCase(Locale.ROOT);
    }

    /** The key of a few words on what the page shows. */
    public String hint() {
        return "hint." + name().toLowerCase(Locale.ROOT);
    }

    /** The question that a path belongs to; that of the totals if to none. */
    static Question of(String path) {
        for (Question question : values()) {
            if (question != TOTALS && path.equals(question.path)) {
                return question;
            }
        }
        return TOTALS;
    }
}
