package dev.tidemark.console;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Where is my event? What became of an event id. */
@Controller
class EventPage {

    private final EventQueries events;
    private final TotalsQueries totals;

    EventPage(EventQueries events, TotalsQueries totals) {
        this.events = events;
        this.totals = totals;
    }

    /** What became of a record, and the window that it is part of, at the version that is current. */
    record Found(ExceptionRow row, Total made, Total current) {}

    @GetMapping("/event")
    String event(@RequestParam(required = false) String id, Model model) {
        String asked = id == null || id.isBlank() ? null : id.strip();
        model.addAttribute("id", asked);
        if (asked == null) {
            return "event";
        }
        List<Found> found = new ArrayList<>();
        events.exceptions(asked).forEach(row -> found.add(withWindow(row)));
        model.addAttribute("found", found);
        model.addAttribute("pairs", pairs(asked));
        return "event";
    }

    private Found withWindow(ExceptionRow row) {
        if (row.windowStart() == null || row.key() == null) {
            return new Found(row, null, null);
        }
        Instant start = row.windowStart();
        List<Total> versions = totals.versions(row.pipeline(), row.key(), start);
        Total made = versions.stream()
                .filter(total -> row.version() != null && total.version() == row.version())
                .findFirst()
                .orElse(null);
        return new Found(row, made, versions.isEmpty() ? null : versions.get(versions.size() - 1));
    }

    /** Nothing where the pairs app is not installed. */
    private List<EventQueries.PairOfEvent> pairs(String id) {
        try {
            return events.pairs(id);
        } catch (DataAccessException e) {
            if (Trouble.isMissingTable(e)) {
                return List.of();
            }
            throw e;
        }
    }
}
