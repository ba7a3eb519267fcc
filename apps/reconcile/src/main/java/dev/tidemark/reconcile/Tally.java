package dev.tidemark.reconcile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a comparison found. Not thread-safe. */
final class Tally {

    /** Published as recounted. */
    long equal;
    /** Different by what the pipeline need not have counted. */
    long explained;
    /** Not compared, because it may still change. */
    long undecided;

    private long different;
    private long missing;
    private long unexpected;
    private final int mostBreaks;
    private final List<Break> breaks = new ArrayList<>();

    /** @param mostBreaks how many breaks are kept; the rest is only counted */
    Tally(int mostBreaks) {
        this.mostBreaks = mostBreaks;
    }

    void add(Break found) {
        switch (found.kind()) {
            case MISSING -> missing++;
            case UNEXPECTED -> unexpected++;
            case DIFFERENT, VERSION_MISSING -> different++;
            case LEDGER -> {}
        }
        if (breaks.size() < mostBreaks) {
            breaks.add(found);
        }
    }

    /**
     * What is still found the second time. What came between the two readings of the input and the table may look like a
     * break once, but not twice.
     */
    Tally confirm(Tally second) {
        if (breaks.size() == mostBreaks) {
            return second;
        }
        Set<Break.Subject> suspects = new HashSet<>();
        breaks.forEach(found -> suspects.add(found.subject()));
        Tally confirmed = new Tally(mostBreaks);
        confirmed.equal = second.equal;
        confirmed.explained = second.explained;
        confirmed.undecided = second.undecided;
        for (Break found : second.breaks) {
            if (suspects.contains(found.subject())) {
                confirmed.add(found);
            } else {
                confirmed.undecided++;
            }
        }
        return confirmed;
    }

    long different() {
        return different;
    }

    long missing() {
        return missing;
    }

    long unexpected() {
        return unexpected;
    }

    long compared() {
        return equal + explained + different + missing + unexpected;
    }

    boolean hasBreaks() {
        return !breaks.isEmpty();
    }

    List<Break> breaks() {
        return Collections.unmodifiableList(breaks);
    }

    /** Puts others in the place of the breaks, about the same, of which more is known. */
    void replace(List<Break> known) {
        List<Break> copy = List.copyOf(known);
        breaks.clear();
        breaks.addAll(copy);
    }
}
