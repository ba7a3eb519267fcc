package dev.tidemark.console;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Remembers language and theme in cookies, and shows the form to log in with. */
@Controller
class PreferencesPage {

    private static final Duration YEAR = Duration.ofDays(365);

    @GetMapping("/login")
    String login() {
        return "login";
    }

    @PostMapping("/preferences")
    ResponseEntity<Void> remember(
            @RequestParam(required = false) String language,
            @RequestParam(required = false) String theme,
            @RequestParam(defaultValue = "/") String back,
            HttpServletRequest request) {
        ResponseEntity.BodyBuilder response = ResponseEntity.status(HttpStatus.SEE_OTHER);
        if (language != null && Reader.LANGUAGES.contains(language)) {
            response.header(HttpHeaders.SET_COOKIE, cookie(Reader.LANGUAGE, language, request));
        }
        if (theme != null && Reader.THEMES.contains(theme)) {
            response.header(HttpHeaders.SET_COOKIE, cookie(Reader.THEME, theme, request));
        }
        return response.header(HttpHeaders.LOCATION, isOwn(back) ? back : "/").build();
    }

    /** A page of this console: a path, not another site. */
    private static boolean isOwn(String back) {
        return back.matches("/(?![/\\\\])[!-~&&[^\\\\]]*");
    }

    private static String cookie(String name, String value, HttpServletRequest request) {
        return ResponseCookie.from(name, value)
                .path("/")
                .maxAge(YEAR)
                .sameSite("Lax")
                .httpOnly(true)
                .secure(request.isSecure())
                .build()
                .toString();
    }
}
