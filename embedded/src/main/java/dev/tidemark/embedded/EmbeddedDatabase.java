package dev.tidemark.embedded;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server of this JVM on the loopback address, with one database. It keeps its data in a directory of
 * the caller and can be stopped and started again, as in an outage, on the same port with the same data.
 *
 * <p>The server's programs are unpacked once per machine into {@code embedded-pg} under the JVM's temporary
 * directory, or where the system property {@code ot.epg.working-dir} says. The server stops with the JVM, even when
 * {@link #close()} is never called; one that a killed JVM left behind is stopped when its directory is used again.
 * Whoever reaches the port may log in, so it is no place for secrets.
 */
public final class EmbeddedDatabase implements AutoCloseable {

    private static final String NAME = "tidemark";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path directory;
    private final int port;
    private EmbeddedPostgres server;

    private EmbeddedDatabase(Path directory, int port) {
        this.directory = directory;
        this.port = port;
    }

    /**
     * Starts a server; when this returns, it takes connections. Tables are made by {@link #migrate()}.
     *
     * @param directory where its data is or will be; made if missing, never deleted here
     * @param port port to listen on, 0 for any free one
     * @throws UncheckedIOException if the directory cannot be used or the server does not start
     */
    public static EmbeddedDatabase start(Path directory, int port) {
        EmbeddedDatabase database = new EmbeddedDatabase(directory.toAbsolutePath(), FreePort.orGiven(port));
        database.stopLeftover();
        database.restart();
        try {
            database.createOnFirstStart();
        } catch (SQLException | RuntimeException e) {
            database.close();
            throw new IllegalStateException("Cannot create database " + NAME + " in " + directory, e);
        }
        return database;
    }

    /** URL without user and password, for example {@code jdbc:postgresql://127.0.0.1:5432/tidemark}. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + NAME;
    }

    /** Owner of the database. */
    public String user() {
        return NAME;
    }

    /** Password of {@link #user()}. */
    public String password() {
        return NAME;
    }

    /** Port that the server listens on, also while it is stopped. */
    public int port() {
        return port;
    }

    /** Connections for {@link #user()}, not pooled; usable again after a restart. */
    public DataSource dataSource() {
        return dataSource(NAME, NAME);
    }

    /** Brings tables, views and triggers up to date, from the migrations in {@code db/migration} on the class path. */
    public void migrate() {
        Flyway.configure()
                .dataSource(dataSource())
                .locations("classpath:db/migration")
                .placeholderReplacement(false)
                .load()
                .migrate();
    }

    /** Stops the server and ends its sessions; its data stays. Does nothing while it is stopped. */
    public synchronized void stop() {
        if (server == null) {
            return;
        }
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL in " + directory + " did not stop; end its process by hand", e);
        } finally {
            server = null;
        }
    }

    /**
     * Starts the server where it was, after stopping it if it runs.
     *
     * @throws UncheckedIOException if it does not start
     */
    public synchronized void restart() {
        stop();
        try {
            Files.createDirectories(directory);
            server = EmbeddedPostgres.builder()
                    .setDataDirectory(directory)
                    .setCleanDataDirectory(false)
                    .setPort(port)
                    .setPGStartupWait(PATIENCE)
                    .setLocaleConfig("locale", "C")
                    .setServerConfig("listen_addresses", "127.0.0.1")
                    .setServerConfig("unix_socket_directories", "")
                    .setServerConfig("max_connections", "60")
                    .setServerConfig("shared_buffers", "32MB")
                    .setServerConfig("max_wal_size", "256MB")
                    .start();
        } catch (IOException | RuntimeException e) {
            throw new IllegalStateException(
                    "PostgreSQL did not start on 127.0.0.1:" + port + " with its data in " + directory
                            + "; see whether another program uses the port or the directory",
                    e);
        }
    }

    /** Stops the server; its data stays. Further calls do nothing. */
    @Override
    public void close() {
        stop();
    }

    private void createOnFirstStart() throws SQLException {
        try (Connection connection = dataSource("postgres", "postgres").getConnection();
                Statement statement = connection.createStatement()) {
            try (var found = statement.executeQuery("select from pg_database where datname = '" + NAME + "'")) {
                if (found.next()) {
                    return;
                }
            }
            statement.execute("create role " + NAME + " login password '" + NAME + "'");
            statement.execute("create database " + NAME + " owner " + NAME);
        }
    }

    private DataSource dataSource(String role, String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {port});
        source.setDatabaseName(database);
        source.setUser(role);
        source.setPassword(NAME);
        return source;
    }

    /** A JVM that was killed leaves its server running; its first line of postmaster.pid names the process. */
    private void stopLeftover() {
        Path file = directory.resolve("postmaster.pid");
        if (!Files.exists(file)) {
            return;
        }
        try {
            List<String> lines = Files.readAllLines(file);
            ProcessHandle process = ProcessHandle.of(Long.parseLong(lines.get(0).strip()))
                    .filter(EmbeddedDatabase::isPostgres)
                    .orElse(null);
            if (process != null && process.destroy()) {
                process.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while an earlier PostgreSQL in " + directory + " stopped", e);
        } catch (IOException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(
                    "An earlier PostgreSQL still uses " + directory + "; end the process named in " + file, e);
        }
    }

    private static boolean isPostgres(ProcessHandle process) {
        return process.info()
                .command()
                .map(command -> Path.of(command).getFileName().toString().equals("postgres"))
                .orElse(false);
    }
}
