package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
                .isEqualTo(new CommandLine(
                        true, "sales", "2026-07-01", "2026-07-02", false, null, List.of("--a.b=c", "x")));
        assertThat(CommandLine.parse()).isEqualTo(new CommandLine(false, null, null, null, false, null, List.of()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommandLine.parse("--once", "--from"))
                .withMessage("--from needs a value, such as --from=2026-07-01.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommandLine.parse("--once", "--form=2026-07-01"))
                .withMessageStartingWith("--form=2026-07-01 is not known; there are --once, ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommandLine.parse("--once", "--correct=false"))
                .withMessage("--correct=false is not known; the option has no value.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommandLine.parse("--once", "--correct", "--replay-with=grace=1m"))
                .withMessage("--replay-with publishes nothing, so --correct has no place beside it.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommandLine.parse("--from=2026-07-01"))
                .withMessage("--pipeline, --from, --to, --correct and --replay-with belong to --once; add it.");
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
    void aGraceToReplayWithIsADuration() {
        assertThat(CommandLine.parse("--once", "--replay-with", "grace=10m").replayWith())
                .isEqualTo("grace=10m");
        assertThat(WhatIf.grace("grace=10m")).isEqualTo(Duration.ofMinutes(10));
        for (String wrong : List.of("10m", "grace=", "grace=-1m", "grace=367d", "window=10m")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> WhatIf.grace(wrong))
                    .withMessage("--replay-with is " + wrong + "; it needs a grace from 0s to 366d, such as grace=10m");
        }
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
