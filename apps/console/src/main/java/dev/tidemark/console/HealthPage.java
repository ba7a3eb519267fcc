package dev.tidemark.console;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** Is it well? The apps, their state and lag, the source partitions, and each app's topology. */
@Controller
class HealthPage {

    private final Apps apps;
    private final LedgerQueries ledger;
    private final ConsoleProperties settings;
    private final Clock clock;

    HealthPage(Apps apps, LedgerQueries ledger, ConsoleProperties settings, Clock clock) {
        this.apps = apps;
        this.ledger = ledger;
        this.settings = settings;
        this.clock = clock;
    }

    /** A source partition, and whether it has been without records for long. */
    record Source(Dispositions sides, boolean quiet) {}

    @GetMapping("/health")
    String health(Model model) {
        List<AppStatus> statuses = apps.statuses();
        String database = addSources(model);
        model.addAttribute("apps", statuses);
        model.addAttribute("database", database);
        model.addAttribute(
                "well",
                database.equals(Database.UP.label()) && statuses.stream().allMatch(AppStatus::up));
        return "health";
    }

    /** The apps are shown even when PostgreSQL is away: {@code up}, {@code missing} or {@code down}. */
    private String addSources(Model model) {
        try {
            Instant quietSince = clock.instant().minus(settings.quietAfter());
            List<Source> sources = ledger.pipelines().stream()
                    .flatMap(pipeline -> ledger.byPartition(pipeline).stream())
                    .map(sides -> new Source(sides, sides.recordedAt().isBefore(quietSince)))
                    .toList();
            model.addAttribute("sources", sources);
            return Database.UP.label();
        } catch (DataAccessException e) {
            return (Trouble.isMissingTable(e) ? Database.MISSING : Database.DOWN).label();
        }
    }

    private enum Database {
        UP,
        MISSING,
        DOWN;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
