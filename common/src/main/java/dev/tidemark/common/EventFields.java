package dev.tidemark.common;

import dev.tidemark.common.ExactProduct.Fit;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.io.JsonStringEncoder;

/** What has been found of one record's event so far, and what is wrong with it. Not thread-safe. */
final class EventFields {

    /** The most that a whole key may take in UTF-8. */
    static final int MAX_KEY = 1024;

    /** The most that an id may take in UTF-8: with a key and two ids, an entry of a PostgreSQL index has 2,704 bytes. */
    static final int MAX_ID = 768;

    /**
     * Which targets the pointers of a mapping have: 0 is the event id, then come the parts of the key, the event time
     * and the factors of the amount. Faults are told in this order.
     */
    record Layout(List<String> pointers, int eventTime, int amountScale, EventTimes times) {

        static Layout of(InputMapping mapping) {
            List<String> pointers = new ArrayList<>();
            pointers.add(mapping.eventId());
            pointers.addAll(mapping.key());
            pointers.add(mapping.eventTime());
            pointers.addAll(mapping.amount());
            return new Layout(
                    List.copyOf(pointers),
                    1 + mapping.key().size(),
                    mapping.amountScale(),
                    new EventTimes(mapping.eventTimeFormat(), mapping.eventTimeZone()));
        }

        String show(int target) {
            return Reasons.show(pointers.get(target));
        }
    }

    private final Layout layout;
    private final int targets;
    private long found;
    private String[] faults;
    private String id;
    private String key;
    private String[] keyParts;
    private long time;
    private final ExactProduct amount;
    private Fit fit = Fit.EXACT;

    EventFields(Layout layout) {
        this.layout = layout;
        this.targets = layout.pointers().size();
        this.amount = layout.eventTime() + 1 < targets ? new ExactProduct() : null;
    }

    /** Takes the value that the parser stands at for a target. */
    void take(int target, JsonToken token, JsonParser parser) {
        String fault;
        if (target == 0) {
            fault = faultOfText(token, parser, MAX_ID);
            id = fault == null ? parser.getString() : null;
        } else if (target < layout.eventTime()) {
            fault = faultOfText(token, parser, MAX_KEY);
            takeKey(target - 1, fault == null ? parser.getString() : null);
        } else if (target == layout.eventTime()) {
            fault = takeTime(token, parser);
        } else {
            fault = takeFactor(token, parser);
        }
        if (fault != null) {
            fault(target, layout.show(target) + " " + fault);
        }
        // Last, because the parser throws where a value is cut off.
        found |= 1L << target;
    }

    private void fault(int target, String sentence) {
        faults = faults == null ? new String[targets] : faults;
        faults[target] = sentence;
    }

    /** Draws up what depends on several fields; to be called once, when no more fields follow. */
    void complete() {
        if (keyParts != null && has(1, layout.eventTime())) {
            key = wholeKey(keyParts);
            int bytes = Utf8.length(key);
            if (bytes > MAX_KEY) {
                key = null;
                fault(1, "the key of " + layout.show(1) + " and others " + tooLong(bytes, MAX_KEY));
            }
        }
        if (amount != null) {
            fit = amount.fit(layout.amountScale());
        }
    }

    /** The key that consists of several parts. */
    static String wholeKey(String... parts) {
        StringBuilder array = new StringBuilder("[");
        for (String part : parts) {
            array.append(array.length() == 1 ? "\"" : ",\"");
            JsonStringEncoder.getInstance().quoteAsString(part, array);
            array.append('"');
        }
        return array.append(']').toString();
    }

    /** Why these are not the fields of an event, or null. */
    String fault() {
        if (faults != null || !has(0, targets)) {
            for (int target = 0; target < targets; target++) {
                if (!has(target, target + 1)) {
                    return faults != null && faults[target] != null
                            ? faults[target]
                            : layout.show(target) + " is missing";
                }
            }
        }
        if (fit == Fit.TOO_FINE) {
            return showAmount() + ", which has more than " + layout.amountScale() + " decimal places";
        }
        return null;
    }

    /** Why the amount is exact, but too large, or null. */
    String overflow() {
        if (fit != Fit.TOO_LARGE) {
            return null;
        }
        return showAmount() + ", but at " + layout.amountScale() + " decimal places at most "
                + BigDecimal.valueOf(Long.MAX_VALUE, layout.amountScale()).toPlainString() + " can be counted";
    }

    /** The event id, or null. */
    String id() {
        return id;
    }

    /** The key, or null. */
    String key() {
        return key;
    }

    boolean hasTime() {
        return has(layout.eventTime(), layout.eventTime() + 1);
    }

    /** Event time in epoch milliseconds; only if there is one. */
    long time() {
        return time;
    }

    boolean hasAmount() {
        return amount == null || (fit == Fit.EXACT && has(layout.eventTime() + 1, targets));
    }

    /** The amount in units of the last place; only if there is one. */
    long amount() {
        return amount == null ? 0 : amount.units();
    }

    /** Whether these targets (the last one excluded) were found and are in order. */
    private boolean has(int first, int end) {
        for (int target = first; target < end; target++) {
            if ((found & 1L << target) == 0 || (faults != null && faults[target] != null)) {
                return false;
            }
        }
        return true;
    }

    private String showAmount() {
        List<String> factors = layout.pointers().subList(layout.eventTime() + 1, targets);
        String subject = factors.size() == 1 ? factors.get(0) : "the product of " + String.join(" and ", factors);
        return Reasons.show(subject) + " is " + Reasons.show(amount.toString());
    }

    private void takeKey(int part, String text) {
        int parts = layout.eventTime() - 1;
        if (parts == 1) {
            key = text;
            return;
        }
        keyParts = keyParts == null ? new String[parts] : keyParts;
        keyParts[part] = text;
    }

    private String takeTime(JsonToken token, JsonParser parser) {
        boolean readable = token == JsonToken.VALUE_STRING
                || (token == JsonToken.VALUE_NUMBER_INT && layout.times().acceptsNumbers());
        time = readable
                ? layout.times().read(parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength())
                : EventTimes.UNREADABLE;
        return time >= 0
                ? null
                : "is " + show(token, parser) + ", " + layout.times().explain(time);
    }

    private String takeFactor(JsonToken token, JsonParser parser) {
        boolean readable = token == JsonToken.VALUE_STRING || token.isNumeric();
        String fault = readable
                ? amount.times(parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength())
                : ExactProduct.NOT_A_DECIMAL;
        return fault == null ? null : "is " + show(token, parser) + ", " + fault;
    }

    /** Why the value that the parser stands at is no id and no part of a key, as the end of a sentence, or null. */
    static String faultOfText(JsonToken token, JsonParser parser, int most) {
        if (token == JsonToken.VALUE_NUMBER_INT) {
            int digits = parser.getStringLength();
            return digits > most ? tooLong(digits, most) : null;
        }
        if (token != JsonToken.VALUE_STRING) {
            return "is " + show(token, parser) + ", but a text or a whole number is expected";
        }
        String text = parser.getString();
        int bytes = text.length() <= most / 3 ? 0 : Utf8.length(text);
        if (bytes > most) {
            return tooLong(bytes, most);
        }
        boolean blank = true;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > ' ' && c < 0x7F) {
                blank = false;
            } else if (c == 0) {
                return "contains a NUL character";
            } else if (Character.isSurrogate(c)) {
                if (Character.isLowSurrogate(c)
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    return "contains half of a surrogate pair";
                }
                blank = false;
                i++;
            } else if (!Character.isWhitespace(c) && !Character.isSpaceChar(c)) {
                blank = false;
            }
        }
        return blank ? "is blank" : null;
    }

    static String tooLong(int bytes, int most) {
        return "has " + bytes + " bytes in UTF-8, but at most " + most + " are allowed";
    }

    static String show(JsonToken token, JsonParser parser) {
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> '"' + Reasons.show(parser.getString()) + '"';
            default -> Reasons.show(parser.getString());
        };
    }
}
