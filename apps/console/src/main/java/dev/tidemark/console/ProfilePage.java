package dev.tidemark.console;

import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.util.UriUtils;
import tools.jackson.databind.JsonNode;

/** Who is this? The profile of a key, from the app where it answers, and from the table. */
@Controller
class ProfilePage {

    private static final int ROWS = 20;
    private static final int FOUND = 200;
    private static final int NOT_FOUND = 404;

    private final Apps apps;
    private final LedgerQueries ledger;
    private final JdbcClient database;
    private final ConsoleProperties settings;
    private final Amounts amounts;

    ProfilePage(Apps apps, LedgerQueries ledger, JdbcClient database, ConsoleProperties settings, Amounts amounts) {
        this.amounts = amounts;
        this.apps = apps;
        this.ledger = ledger;
        this.database = database;
        this.settings = settings;
    }

    @GetMapping("/profile")
    String profile(@RequestParam(required = false) String key, Model model) {
        String asked = key == null || key.isBlank() ? null : key.strip();
        model.addAttribute("key", asked);
        model.addAttribute("configured", settings.profiles() != null);
        if (asked == null) {
            return "profile";
        }
        if (settings.profiles() != null) {
            Apps.Answer answer = apps.ask(of(settings.profiles(), asked));
            JsonNode live = answer.status() == FOUND ? answer.json() : null;
            model.addAttribute("live", live == null || !live.isObject() ? null : known(ProfileField.of(live)));
            model.addAttribute("unknown", answer.status() == NOT_FOUND);
        }
        addRows(asked, model);
        return "profile";
    }

    private void addRows(String key, Model model) {
        try {
            List<String> pipelines = new ArrayList<>(ledger.pipelines());
            pipelines.add("");
            List<Map<String, Object>> rows = database.sql("select * from profiles where pipeline in (:pipelines)"
                            + " and key = :key order by pipeline limit :limit")
                    .param("pipelines", pipelines)
                    .param("key", key)
                    .param("limit", ROWS)
                    .query()
                    .listOfRows();
            model.addAttribute(
                    "rows", rows.stream().map(ProfileField::of).map(this::known).toList());
        } catch (DataAccessException e) {
            if (!Trouble.isMissingTable(e)) {
                throw e;
            }
            model.addAttribute("notInstalled", true);
        }
    }

    /** The fields, without the zeros of a pipeline that has no amounts. */
    private List<ProfileField> known(List<ProfileField> fields) {
        boolean money = fields.stream()
                .anyMatch(field ->
                        field.isMoney() && field.number() instanceof BigDecimal amount && amount.signum() != 0);
        Optional<String> pipeline = fields.stream()
                .filter(field -> field.name().equals("pipeline") && field.text() != null)
                .map(ProfileField::text)
                .findFirst();
        return money || pipeline.isEmpty() || hasAmounts(pipeline.get())
                ? fields
                : fields.stream()
                        .map(field -> field.isMoney() ? field.emptied() : field)
                        .toList();
    }

    /** The app's own answer is shown as it is where PostgreSQL has no tables to tell from. */
    private boolean hasAmounts(String pipeline) {
        try {
            return amounts.has(pipeline);
        } catch (DataAccessException e) {
            if (!Trouble.isMissingTable(e)) {
                throw e;
            }
            return true;
        }
    }

    private static URI of(URI profiles, String key) {
        return URI.create(profiles + "?key=" + UriUtils.encode(key, StandardCharsets.UTF_8));
    }
}
