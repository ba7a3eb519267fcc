package dev.tidemark.console;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;

/** Why PostgreSQL has not answered a question. */
enum Trouble {
    /** It is not there, is busy, or takes too long. */
    DOWN(HttpStatus.SERVICE_UNAVAILABLE),
    /** A table, view, column or function is missing: the migrations have not been run. */
    MISSING(HttpStatus.SERVICE_UNAVAILABLE),
    /** The console's user may not read something. */
    DENIED(HttpStatus.SERVICE_UNAVAILABLE),
    /** The question has a text or a number in it that PostgreSQL does not know. */
    QUESTION(HttpStatus.BAD_REQUEST);

    private static final Set<String> MISSING_STATES = Set.of("42P01", "42883", "42703", "3F000");
    private static final String DENIED_STATE = "42501";
    private static final String DATA_CLASS = "22";

    private final HttpStatus status;

    Trouble(HttpStatus status) {
        this.status = status;
    }

    static Trouble of(DataAccessException trouble) {
        String state = trouble.getMostSpecificCause() instanceof SQLException cause && cause.getSQLState() != null
                ? cause.getSQLState()
                : "";
        if (MISSING_STATES.contains(state)) {
            return MISSING;
        }
        if (state.equals(DENIED_STATE)) {
            return DENIED;
        }
        return state.startsWith(DATA_CLASS) ? QUESTION : DOWN;
    }

    /** Whether a table, view, column or function is missing: the migrations have not been run. */
    static boolean isMissingTable(DataAccessException trouble) {
        return of(trouble) == MISSING;
    }

    /** What a page or an answer with it has as its status. */
    HttpStatus status() {
        return status;
    }

    /** Its name in messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
