package dev.tidemark.reconcile;

import dev.tidemark.reconcile.Explanation.Candidate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Goes through the events once more for those windows that differ. */
final class Investigation {

    private final List<Break> breaks;
    /** Of the breaks that are shown. */
    private final Map<WindowKey, List<Candidate>> events = new HashMap<>();
    /** Of all of them. */
    private final Map<WindowKey, WindowSum> sums = new HashMap<>();

    Investigation(List<Break> breaks, TotalsRecount recount) {
        this.breaks = breaks;
        for (Break found : breaks) {
            if (found.subject().key() != null) {
                if (events.size() < Report.MOST_SHOWN) {
                    events.put(found.subject().window(), new ArrayList<>());
                }
                sums.put(found.subject().window(), null);
            }
        }
        recount.forEachWindow(this::take);
    }

    private void take(WindowKey window, String id, Sighting event) {
        if (!sums.containsKey(window)) {
            return;
        }
        sums.merge(window, WindowSum.of(event.amount(), event.partition()), WindowSum::plus);
        List<Candidate> known = events.get(window);
        if (known != null && known.size() < Explanation.MOST_LOOKED_AT) {
            known.add(new Candidate(id, event.amount(), event.times()));
        }
    }

    /** What the windows that differ add up to. */
    Map<WindowKey, WindowSum> sums() {
        return sums;
    }

    /** The breaks, of which the first ones are explained. */
    List<Break> explained(Explanation explanation) {
        UnaryOperator<Break> explain = found -> {
            List<Candidate> candidates = found.subject().key() == null
                    ? null
                    : events.get(found.subject().window());
            return candidates == null ? found : explanation.explain(found, candidates);
        };
        return breaks.stream().map(explain).toList();
    }
}
