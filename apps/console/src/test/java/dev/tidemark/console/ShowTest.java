package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.ResourceBundleMessageSource;

class ShowTest {

    private static final Instant NOW = Instant.parse("2026-07-01T10:00:00Z");

    private final Show show = show(Locale.ENGLISH, "Asia/Tokyo");

    @Test
    void amountsKeepEveryDigit() {
        assertThat(show.number(new BigDecimal("12345678901234567890.120"))).isEqualTo("12,345,678,901,234,567,890.120");
        assertThat(show.number(new BigDecimal("-0.05"))).isEqualTo("−0.05");
        assertThat(show.number(new BigDecimal("1E+3"))).isEqualTo("1,000");
        assertThat(show.number(9007199254740993L)).isEqualTo("9,007,199,254,740,993");
        assertThat(show.plain(new BigDecimal("1E+3"))).isEqualTo("1000");
    }

    @Test
    void nothingAndZeroLookDifferent() {
        assertThat(show.number(null)).isEqualTo("–");
        assertThat(show.number(0)).isEqualTo("0");
        assertThat(show.number(new BigDecimal("0.00"))).isEqualTo("0.00");
        assertThat(show.share(0, 0)).isEqualTo("–");
        assertThat(show.share(0, 5)).isEqualTo("0.00 %");
        assertThat(show.time(null)).isEqualTo("–");
    }

    @Test
    void aShareIsAllOrNothingOnlyIfItIs() {
        assertThat(show.share(999_999, 1_000_000)).isEqualTo("99.99 %");
        assertThat(show.share(1, 1_000_000)).isEqualTo("< 0.01 %");
        assertThat(show.share(1_000_000, 1_000_000)).isEqualTo("100.00 %");
    }

    @Test
    void timesAreInTheZoneOfTheReader() {
        Instant time = Instant.parse("2026-07-01T15:30:00Z");

        assertThat(show.time(time)).isEqualTo("2026-07-02 00:30");
        assertThat(show.utc(time)).isEqualTo("2026-07-01 15:30:00 UTC");
        assertThat(show.span(time, time.plusSeconds(600))).isEqualTo("2026-07-02 00:30 – 00:40");
        assertThat(show.span(time.minusSeconds(3600), time)).isEqualTo("2026-07-01 23:30 – 2026-07-02 00:30");
        assertThat(show.input(time)).isEqualTo("2026-07-02T00:30");
    }

    @Test
    void agesAreInTheLanguageOfTheReader() {
        assertThat(show.age(NOW.minusSeconds(59))).isEqualTo("59 s ago");
        assertThat(show.age(NOW.minusSeconds(3661))).isEqualTo("1 h 1 min ago");
        assertThat(show.age(NOW.plusSeconds(1))).isEqualTo("just now");
        assertThat(show(Locale.JAPANESE, "UTC").age(NOW.minusSeconds(90_000))).isEqualTo("1日 1時間前");
        assertThat(show.duration(Duration.ofMinutes(90))).isEqualTo("1 h 30 min");
        assertThat(show.duration(Duration.ZERO)).isEqualTo("0 s");
    }

    private static Show show(Locale locale, String zone) {
        ResourceBundleMessageSource messages = new ResourceBundleMessageSource();
        messages.setBasename("console/messages");
        messages.setDefaultEncoding("UTF-8");
        messages.setFallbackToSystemLocale(false);
        return new Show(new Reader(locale, ZoneId.of(zone), ""), messages, NOW);
    }
}
