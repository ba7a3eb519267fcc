package dev.tidemark.console;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The answer of the page "May we publish?" for schedulers. Status 200: yes; 409: no; 400: the question is wrong; 404: the
 * pipeline has no windows; 503: PostgreSQL does not answer, or its tables are missing.
 */
@RestController
class PublishableApi {

    private final PublishableDay publishable;

    PublishableApi(PublishableDay publishable) {
        this.publishable = publishable;
    }

    /** Amounts are texts, so that no reader's floating point changes them. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Answer(
            boolean publishable,
            String pipeline,
            LocalDate day,
            String zone,
            long windows,
            String lateMoney,
            String budget,
            List<CheckAnswer> checks) {}

    /** @param status {@code met}, {@code missing}, or {@code not-checked} */
    record CheckAnswer(String check, String status, List<String> found, List<String> examples) {}

    @GetMapping("/api/publishable")
    ResponseEntity<?> publishable(
            @RequestParam(required = false) String pipeline, @RequestParam(required = false) String day) {
        if (pipeline == null || pipeline.isBlank() || day == null) {
            return trouble(
                    HttpStatus.BAD_REQUEST, "pipeline and day are needed, as in ?pipeline=sales&day=2026-07-01.");
        }
        try {
            return publishable
                    .ask(pipeline, LocalDate.parse(day))
                    .<ResponseEntity<?>>map(
                            answer -> ResponseEntity.status(answer.isYes() ? HttpStatus.OK : HttpStatus.CONFLICT)
                                    .body(json(answer)))
                    .orElseGet(() -> trouble(HttpStatus.NOT_FOUND, "No window of this pipeline is known."));
        } catch (DateTimeException e) {
            return trouble(HttpStatus.BAD_REQUEST, "day has to be a date such as 2026-07-01.");
        } catch (DataAccessException e) {
            Trouble kind = Trouble.of(e);
            return trouble(
                    kind.status(),
                    switch (kind) {
                        case DOWN -> "PostgreSQL does not answer; ask again later.";
                        case MISSING -> "Tables are missing; run the migrations in deploy/sql.";
                        case DENIED -> "The console may not read a table; grant select to its user.";
                        case QUESTION -> "pipeline or day has something in it that PostgreSQL does not know.";
                    });
        }
    }

    private static Answer json(Publishable answer) {
        return new Answer(
                answer.isYes(),
                answer.pipeline(),
                answer.day(),
                answer.zone().getId(),
                answer.windows(),
                answer.lateMoney() == null ? null : answer.lateMoney().toPlainString(),
                answer.budget() == null ? null : answer.budget().toPlainString(),
                answer.checks().stream()
                        .map(check -> new CheckAnswer(
                                check.kind().label(),
                                !check.met() ? "missing" : check.known() ? "met" : "not-checked",
                                check.found(),
                                check.examples().stream()
                                        .map(Publishable.Example::toString)
                                        .toList()))
                        .toList());
    }

    private static ResponseEntity<Map<String, String>> trouble(HttpStatus status, String sentence) {
        return ResponseEntity.status(status).body(Map.of("error", sentence));
    }
}
