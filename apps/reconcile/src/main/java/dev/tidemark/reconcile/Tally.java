package dev.tidemark.reconcile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a comparison found. Not thread-safe. */
final class Tally {

    /** Published as recounted. */
    long equal;
    /** Different by what the pipeline need not have counted. */
    long explained;

    private long undecided;
    private long different;
    private long missing;
    private long unexpected;
    private final int mostBreaks;
    private final List<Break> breaks = new ArrayList<>();
    private final Set<Break.Subject> doubted;
    /** Those of the doubted that stay so. */
    private final Set<Break.Subject> notJudged = new HashSet<>();

    /**
     * @param mostBreaks how many breaks are kept; the rest is only counted
     * @param doubted what an earlier recount found to be broken
     */
    Tally(int mostBreaks, Set<Break.Subject> doubted) {
        this.mostBreaks = mostBreaks;
        this.doubted = doubted;
    }

    /** It is not compared, because it may still change. */
    void addUndecided(Break.Subject subject) {
        undecided++;
        leave(subject);
    }

    private void leave(Break.Subject subject) {
        if (doubted.contains(subject)) {
            notJudged.add(subject);
        }
    }

    void add(Break found) {
        switch (found.kind()) {
            case MISSING -> missing++;
            case UNEXPECTED -> unexpected++;
            case DIFFERENT, VERSION_MISSING -> different++;
            case LEDGER -> {}
        }
        if (found.kind() == Break.Kind.LEDGER) {
            breaks.add(0, found); // It is about all of them.
        } else if (breaks.size() < mostBreaks) {
            breaks.add(found);
        } else {
            leave(found.subject());
        }
    }

    /**
     * What is still found the second time, of what is published as it was the first time: that came from input that has
     * been read since, so it is all that the pipeline has made of it. What has changed between the two readings proves
     * nothing, and neither does what was not kept the first time.
     */
    Tally confirm(Tally second) {
        Map<Break.Subject, Break> suspects = new HashMap<>();
        breaks.forEach(found -> suspects.put(found.subject(), found));
        Tally confirmed = new Tally(mostBreaks, doubted);
        confirmed.equal = second.equal;
        confirmed.explained = second.explained;
        confirmed.undecided = second.undecided + second.different + second.missing + second.unexpected;
        confirmed.notJudged.addAll(second.notJudged);
        for (Break found : second.breaks) {
            Break before = suspects.get(found.subject());
            if (before != null && found.isAbout(before.published())) {
                confirmed.add(found);
                confirmed.undecided -= found.kind() == Break.Kind.LEDGER ? 0 : 1;
            } else {
                confirmed.leave(found.subject());
            }
        }
        return confirmed;
    }

    /** Whether it says of something doubted that it is broken or that it is not. */
    boolean hasJudged(Break.Subject subject) {
        return !notJudged.contains(subject);
    }

    long undecided() {
        return undecided;
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
