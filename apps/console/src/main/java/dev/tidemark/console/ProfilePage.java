package dev.tidemark.console;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private final Apps apps;
    private final JdbcClient database;
    private final ConsoleProperties settings;

    ProfilePage(Apps apps, JdbcClient database, ConsoleProperties settings) {
        this.apps = apps;
        this.database = database;
        this.settings = settings;
    }

    /** A column of a row: a time, a number, a text, or nothing. */
    record Field(String name, Instant time, Number number, String text) {

        static List<Field> of(Map<String, Object> row) {
            return row.entrySet().stream()
                    .map(column -> of(column.getKey(), column.getValue()))
                    .toList();
        }

        private static Field of(String name, Object value) {
            if (value instanceof Timestamp time) {
                return new Field(name, time.toInstant(), null, null);
            }
            if (value instanceof Number number) {
                return new Field(name, null, number, null);
            }
            return new Field(name, null, null, value == null ? null : value.toString());
        }

        public boolean isEmpty() {
            return time == null && number == null && text == null;
        }
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
            JsonNode live = apps.json(of(settings.profiles(), asked));
            model.addAttribute("live", live == null ? null : fields(live));
        }
        addRows(asked, model);
        return "profile";
    }

    private void addRows(String key, Model model) {
        try {
            List<Map<String, Object>> rows = database.sql(
                            "select * from profiles where key = :key order by pipeline limit :limit")
                    .param("key", key)
                    .param("limit", ROWS)
                    .query()
                    .listOfRows();
            model.addAttribute("rows", rows.stream().map(Field::of).toList());
        } catch (DataAccessException e) {
            if (!Trouble.isMissingTable(e)) {
                throw e;
            }
            model.addAttribute("notInstalled", true);
        }
    }

    private static URI of(URI profiles, String key) {
        return URI.create(profiles.toString().replaceFirst("/+$", "") + "/"
                + UriUtils.encodePathSegment(key, StandardCharsets.UTF_8));
    }

    /** Texts as they are written in the JSON, so that no number loses a digit. */
    private static Map<String, String> fields(JsonNode json) {
        Map<String, String> fields = new LinkedHashMap<>();
        json.properties().forEach(field -> fields.put(
                field.getKey(),
                field.getValue().isString() ? field.getValue().asString() : field.getValue().toString()));
        return fields;
    }
}
