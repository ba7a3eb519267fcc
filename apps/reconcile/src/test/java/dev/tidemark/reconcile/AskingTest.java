package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/** What a user may ask for, and what is answered if it makes no sense. */
class AskingTest {

    @Test
    void whatIsNoOptionOfItsOwnIsASetting() {
        assertThat(CommandLine.parse(
                        "--once", "--pipeline=sales", "--from=2026-07-01", "--to=2026-07-02", "--a.b=c", "x"))
                .isEqualTo(new CommandLine(true, "sales", "2026-07-01", "2026-07-02", false, List.of("--a.b=c", "x")));
        assertThat(CommandLine.parse()).isEqualTo(new CommandLine(false, null, null, null, false, List.of()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommandLine.parse("--once", "--from"))
                .withMessage("--from needs a value, such as --from=2026-07-01.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommandLine.parse("--from=2026-07-01"))
                .withMessage("--pipeline, --from, --to and --correct belong to --once; add it.");
    }

    @Test
    void aDateBeginsAtMidnightInTheZoneOfTheWindows() {
        Span day = Span.parse("2026-07-01", "2026-07-02", ZoneId.of("Asia/Tokyo"));

        assertThat(day)
                .isEqualTo(new Span(
                        Instant.parse("2026-06-30T15:00:00Z").toEpochMilli(),
                        Instant.parse("2026-07-01T15:00:00Z").toEpochMilli()));
        assertThat(day.contains(day.from())).isTrue();
        assertThat(day.contains(day.to())).isFalse();
        assertThat(Span.parse(null, null, ZoneOffset.UTC)).isEqualTo(Span.ALL);
        assertThat(Span.parse("2026-07-01T10:00:00+02:00", null, ZoneOffset.UTC).from())
                .isEqualTo(Instant.parse("2026-07-01T08:00:00Z").toEpochMilli());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Span.parse("yesterday", null, ZoneOffset.UTC))
                .withMessage("--from is yesterday; it needs a date, 2026-07-01, or a time, 2026-07-01T10:00:00Z");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Span.parse("2026-07-02", "2026-07-02", ZoneOffset.UTC))
                .withMessage("--from must be before --to");
    }

    @Test
    void aScheduleIsADurationOrACronExpression() {
        assertThat(Schedule.trigger("15m")).isInstanceOf(PeriodicTrigger.class);
        assertThat(Schedule.trigger("0 30 4 * * *")).isInstanceOf(CronTrigger.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Schedule.trigger("often"))
                .withMessage("tidemark.reconcile.every is often; it needs a duration from 1s to 366d, or a cron"
                        + " expression of six fields, 0 30 * * * *");
        assertThatIllegalArgumentException().isThrownBy(() -> Schedule.trigger("0s"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Schedule.trigger(null))
                .withMessageStartingWith("tidemark.reconcile.every is missing");
    }

    @Test
    void progressIsOneLineThatVanishes() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ProgressBar bar = new ProgressBar(new PrintStream(printed, true, StandardCharsets.UTF_8));
        bar.begin("reading", 1_000);
        bar.end();

        String empty = "reading        [..............................]   0 % of 1,000";
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .isEqualTo("\r" + empty + "\r" + " ".repeat(empty.length()) + "\r");
    }
}
