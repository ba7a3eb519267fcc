package dev.tidemark.demo;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Sends all logging to one file, so that the terminal belongs to the view, and remembers the newest error. */
final class DemoLog extends AppenderBase<ILoggingEvent> {

    private final Path file;
    private volatile String newestError;
    private volatile long errors;

    private DemoLog(Path file) {
        this.file = file;
    }

    /** Takes over logging, also from Spring Boot, which is told to leave it alone. */
    static DemoLog to(Path file) {
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();

        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSS} %-5level [%thread] %logger{40}: %msg%n");
        encoder.start();
        FileAppender<ILoggingEvent> appender = new FileAppender<>();
        appender.setContext(context);
        appender.setFile(file.toString());
        appender.setEncoder(encoder);
        appender.start();
        DemoLog log = new DemoLog(file);
        log.setContext(context);
        log.start();

        var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(appender);
        root.addAppender(log);
        context.getLogger("dev.tidemark").setLevel(Level.INFO);
        return log;
    }

    Path file() {
        return file;
    }

    /** The newest error and where to read more, or null if there was none. */
    String trouble() {
        String error = newestError;
        return error == null ? null : "%d errors, see %s: %s".formatted(errors, file, error);
    }

    /** Forgets the errors so far, because they have been overcome; the file keeps them. */
    void forget() {
        newestError = null;
        errors = 0;
    }

    @Override
    protected synchronized void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
            newestError = event.getFormattedMessage().lines().findFirst().orElse("");
            errors++;
        }
    }
}
