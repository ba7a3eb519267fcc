package dev.tidemark.console;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.springframework.context.MessageSource;

/**
 * How values are written for a reader: every digit of amounts and counts, times in the reader's zone. What is not there
 * is a dash, so that it looks different from 0.
 */
final class Show {

    static final String NOTHING = "–";

    private static final DateTimeFormatter MINUTES = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm");
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm");
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm");

    private final Reader reader;
    private final MessageSource messages;
    private final Instant now;

    Show(Reader reader, MessageSource messages, Instant now) {
        this.reader = reader;
        this.messages = messages;
        this.now = now;
    }

    /** A text of the reader's language. */
    public String text(String key, Object... arguments) {
        return messages.getMessage(key, arguments, key, reader.locale());
    }

    /** An amount or count with all its digits, grouped by thousands. */
    public String number(Number number) {
        if (number == null) {
            return NOTHING;
        }
        BigDecimal exact = number instanceof BigDecimal decimal ? decimal : new BigDecimal(number.toString());
        DecimalFormat format = new DecimalFormat("#,##0", DecimalFormatSymbols.getInstance(Locale.ROOT));
        format.setMinimumFractionDigits(Math.max(0, exact.scale()));
        format.setMaximumFractionDigits(Math.max(0, exact.scale()));
        return format.format(exact).replace("-", "−");
    }

    /** A difference with its sign. */
    public String signed(BigDecimal number) {
        return (number != null && number.signum() > 0 ? "+" : "") + number(number);
    }

    /** The digits themselves, for machines. */
    public String plain(Number number) {
        return number == null ? "" : number instanceof BigDecimal decimal ? decimal.toPlainString() : number.toString();
    }

    /** A part of a whole in per cent with two decimals, cut and not rounded, so that only all is 100 % and only nothing 0 %. */
    public String share(Number part, Number whole) {
        if (part == null || whole == null || new BigDecimal(whole.toString()).signum() == 0) {
            return NOTHING;
        }
        BigDecimal share = new BigDecimal(part.toString())
                .multiply(BigDecimal.valueOf(100))
                .divide(new BigDecimal(whole.toString()), 2, RoundingMode.DOWN);
        boolean tooSmall = share.signum() == 0 && new BigDecimal(part.toString()).signum() != 0;
        return tooSmall ? "< 0.01 %" : share.toPlainString() + " %";
    }

    public String time(Instant time) {
        return time == null ? NOTHING : local(time).format(hasSeconds(time) ? SECONDS : MINUTES);
    }

    /** A span of time; its end without the day if that is the same. */
    public String span(Instant start, Instant end) {
        boolean sameDay = local(start).toLocalDate().equals(local(end).toLocalDate());
        return time(start) + " – " + (sameDay && !hasSeconds(end) ? local(end).format(CLOCK) : time(end));
    }

    /** The same time in UTC, which the page shows on hover. */
    public String utc(Instant time) {
        return time == null ? "" : time.atOffset(ZoneOffset.UTC).format(SECONDS) + " UTC";
    }

    /** What an input field of a local time takes. */
    public String input(Instant time) {
        return time == null ? "" : local(time).format(LOCAL);
    }

    public String zone() {
        return reader.zone().equals(ZoneOffset.UTC) ? "UTC" : reader.zone().getId();
    }

    /** How long ago, in the largest fitting unit. */
    public String age(Instant time) {
        if (time == null) {
            return NOTHING;
        }
        Duration age = Duration.between(time, now);
        return age.isNegative() ? text("age.now") : text("age.ago", duration(age));
    }

    /** A length of time in one or two units. */
    public String duration(Duration length) {
        if (length == null) {
            return NOTHING;
        }
        long seconds = Math.abs(length.toSeconds());
        String sign = length.isNegative() ? "−" : "";
        if (seconds < 60) {
            return sign + text("unit.second", seconds);
        }
        if (seconds < 3600) {
            return sign + text("unit.minute", seconds / 60) + rest(seconds % 60, "unit.second");
        }
        if (seconds < 86_400) {
            return sign + text("unit.hour", seconds / 3600) + rest(seconds % 3600 / 60, "unit.minute");
        }
        return sign + text("unit.day", seconds / 86_400) + rest(seconds % 86_400 / 3600, "unit.hour");
    }

    private String rest(long amount, String unit) {
        return amount == 0 ? "" : " " + text(unit, amount);
    }

    private LocalDateTime local(Instant time) {
        return time.atZone(reader.zone()).toLocalDateTime();
    }

    private static boolean hasSeconds(Instant time) {
        return !time.truncatedTo(ChronoUnit.MINUTES).equals(time);
    }
}
