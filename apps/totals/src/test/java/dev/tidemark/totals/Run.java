package dev.tidemark.totals;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Settings, and what happens under them.
 *
 * @param settings the settings
 * @param steps what happens, in order
 */
record Run(RunSettings settings, List<Step> steps) {

    @Override
    public String toString() {
        return steps.stream().map(step -> "\n    " + step).collect(Collectors.joining("", settings.toString(), ""));
    }
}
