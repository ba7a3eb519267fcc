package dev.tidemark.console;

import java.sql.SQLException;
import java.util.Set;
import org.springframework.dao.DataAccessException;

/** Tells a table that is not there from a database that is not there. */
final class Trouble {

    private static final Set<String> MISSING = Set.of("42P01", "42883", "42703", "3F000");

    private Trouble() {}

    /** Whether a table, view, column or function is missing: the migrations have not been run. */
    static boolean isMissingTable(DataAccessException trouble) {
        return trouble.getMostSpecificCause() instanceof SQLException cause && MISSING.contains(cause.getSQLState());
    }
}
