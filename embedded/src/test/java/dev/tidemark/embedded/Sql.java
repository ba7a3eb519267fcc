package dev.tidemark.embedded;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Statements and queries, a connection each. */
record Sql(DataSource source) {

    void execute(String... statements) {
        for (String sql : statements) {
            try (Connection connection = source.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(sql, e);
            }
        }
    }

    /** The rows of a query, each as the text of its values, joined by a bar. */
    List<String> rows(String query) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            int columns = found.getMetaData().getColumnCount();
            List<String> rows = new ArrayList<>();
            while (found.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    values.add(String.valueOf(found.getString(i)));
                }
                rows.add(String.join("|", values));
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    String value(String query) {
        return rows(query).get(0);
    }
}
