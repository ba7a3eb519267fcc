package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * The settings that state depends on, by name, as users write them. State that was written under others must not be
 * mixed with new one.
 *
 * @param values line breaks in values count as spaces
 */
public record StateTerms(Map<String, String> values) {

    public StateTerms {
        values = new LinkedHashMap<>(values);
        values.replaceAll((name, value) -> value.replaceAll("\\R", " "));
    }

    /** A short text that differs when results under these settings must not be compared with others: eight hex digits. */
    public String fingerprint() {
        CRC32 crc = new CRC32();
        String text = values.entrySet().stream()
                .map(setting -> setting.getKey() + " " + setting.getValue())
                .collect(Collectors.joining(", "));
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", crc.getValue());
    }

    /** What is stored with the state. */
    String toText() {
        return values.entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining("\n"));
    }

    static StateTerms fromText(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        text.lines().forEach(line -> {
            int separator = line.indexOf('=');
            values.put(line.substring(0, separator), line.substring(separator + 1));
        });
        return new StateTerms(values);
    }

    /**
     * Compares with the settings under which the state was written.
     *
     * @param owner whose state it is
     * @throws StartRefusedException if they differ; names each old and new value and what can be done
     */
    void requireSameAs(StateTerms written, String owner) {
        TreeSet<String> names = new TreeSet<>(values.keySet());
        names.addAll(written.values.keySet());
        String changes = names.stream()
                .filter(name -> !Objects.equals(values.get(name), written.values.get(name)))
                .map(name -> name + " " + show(written.values.get(name)) + " and is now " + show(values.get(name)))
                .collect(Collectors.joining(", "));
        if (!changes.isEmpty()) {
            throw new StartRefusedException("The state of " + owner + " was written with " + changes
                    + "; set it back, use a new pipeline name, or reset the pipeline as the README says.");
        }
    }

    private static String show(String value) {
        return value == null ? "not set" : value;
    }
}
