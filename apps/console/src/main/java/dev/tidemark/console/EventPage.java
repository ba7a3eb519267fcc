package dev.tidemark.console;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.util.UriUtils;

/** Where is my event? What became of an event id. */
@Controller
class EventPage {

    private final EventQueries events;
    private final TotalsQueries totals;
    private final InputSearch search;
    private final Amounts amounts;

    EventPage(EventQueries events, TotalsQueries totals, InputSearch search, Amounts amounts) {
        this.amounts = amounts;
        this.events = events;
        this.totals = totals;
        this.search = search;
    }

    /**
     * What became of a record, and the window that it is part of, at the version that is current.
     *
     * @param money whether its pipeline has amounts
     */
    record Found(ExceptionRow row, Total made, Total current, boolean money) {}

    /** A window that a counted event is part of: the first version that has it, and the one that is current. */
    record Counting(Total first, Total current) {}

    /**
     * A record of the input that no row speaks of, and the published windows that it is part of.
     *
     * @param money whether its pipeline has amounts
     */
    record Counted(InputSearch.Found record, List<Counting> windows, boolean money) {}

    /** @param input whether the inputs are looked through, too, which takes a while */
    @GetMapping("/event")
    String event(
            @RequestParam(required = false) String id,
            @RequestParam(defaultValue = "false") boolean input,
            Model model) {
        String asked = id == null || id.isBlank() ? null : id.strip();
        model.addAttribute("id", asked);
        if (asked == null) {
            return "event";
        }
        if (input) {
            model.addAttribute("poll", "/event?id=" + UriUtils.encode(asked, StandardCharsets.UTF_8));
        }
        // First: the tables say more by the time the input has been read.
        InputSearch.Answer answer = input && search.isPossible() ? search.find(asked) : null;
        List<ExceptionRow> rows = events.exceptions(asked);
        List<EventQueries.PairOfEvent> pairs = pairs(asked);
        model.addAttribute("found", rows.stream().map(this::withWindow).toList());
        model.addAttribute("pairs", pairs);
        model.addAttribute("searchable", search.isPossible());
        model.addAttribute("searched", input);
        model.addAttribute("answer", answer);
        if (answer != null) {
            model.addAttribute(
                    "counted",
                    answer.found().stream()
                            .filter(record -> rows.stream().noneMatch(record::isAt))
                            .filter(record -> !record.ofPairs() || isAlone(record, pairs))
                            .map(this::withWindows)
                            .toList());
        }
        return "event";
    }

    private static boolean isAlone(InputSearch.Found record, List<EventQueries.PairOfEvent> pairs) {
        return pairs.stream().noneMatch(pair -> pair.pipeline().equals(record.pipeline()));
    }

    /** What is counted is so from the final on, and in what is published before it. */
    private Counted withWindows(InputSearch.Found record) {
        List<Counting> windows = new ArrayList<>();
        for (Instant start : record.starts()) {
            List<Total> versions = totals.versions(record.pipeline(), record.key(), start);
            if (!versions.isEmpty()) {
                Total first = versions.stream()
                        .filter(total -> total.version() > 0)
                        .findFirst()
                        .orElse(versions.get(0));
                windows.add(new Counting(first, versions.get(versions.size() - 1)));
            }
        }
        return new Counted(record, windows, record.amount().signum() != 0 || amounts.has(record.pipeline()));
    }

    private Found withWindow(ExceptionRow row) {
        boolean money = row.amount() != null && row.amount().signum() != 0 || amounts.has(row.pipeline());
        if (row.windowStart() == null || row.key() == null) {
            return new Found(row, null, null, money);
        }
        Instant start = row.windowStart();
        List<Total> versions = totals.versions(row.pipeline(), row.key(), start);
        Total made = versions.stream()
                .filter(total -> row.version() != null && total.version() == row.version())
                .findFirst()
                .orElse(null);
        return new Found(row, made, versions.isEmpty() ? null : versions.get(versions.size() - 1), money);
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
