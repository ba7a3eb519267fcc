package dev.tidemark.console;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;

/**
 * Who reads a page and how, from the cookies that the page has set.
 *
 * @param locale language of the texts
 * @param zone zone of all times; UTC until the browser has told its own
 * @param theme {@code light}, {@code dark}, or empty for what the device prefers
 */
record Reader(Locale locale, ZoneId zone, String theme) {

    static final String LANGUAGE = "language";
    static final String ZONE = "zone";
    static final String THEME = "theme";

    static final Set<String> LANGUAGES = Set.of("en", "ja");
    static final Set<String> THEMES = Set.of("light", "dark");

    /** @param language what the settings say, or null */
    static Reader of(HttpServletRequest request, String language) {
        String theme = cookie(request, THEME);
        return new Reader(locale(request, language), zone(cookie(request, ZONE)), THEMES.contains(theme) ? theme : "");
    }

    static Locale locale(HttpServletRequest request, String language) {
        String chosen = cookie(request, LANGUAGE);
        if (LANGUAGES.contains(chosen)) {
            return Locale.forLanguageTag(chosen);
        }
        if (language != null) {
            return Locale.forLanguageTag(language);
        }
        return Collections.list(request.getLocales()).stream()
                .map(Locale::getLanguage)
                .filter(LANGUAGES::contains)
                .findFirst()
                .map(Locale::forLanguageTag)
                .orElse(Locale.ENGLISH);
    }

    private static ZoneId zone(String name) {
        try {
            return ZoneId.of(URLDecoder.decode(name, StandardCharsets.UTF_8));
        } catch (DateTimeException | IllegalArgumentException e) {
            return ZoneOffset.UTC;
        }
    }

    private static String cookie(HttpServletRequest request, String name) {
        if (request.getCookies() != null) {
            for (Cookie cookie : request.getCookies()) {
                if (cookie.getName().equals(name)) {
                    return cookie.getValue();
                }
            }
        }
        return "";
    }
}
