package dev.tidemark.console;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.MessageSource;
import org.springframework.dao.DataAccessException;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ModelAttribute;

/** What every page has, and the page that says that PostgreSQL does not answer. */
@ControllerAdvice(basePackageClasses = ReaderAdvice.class)
class ReaderAdvice {

    private static final Logger LOG = LoggerFactory.getLogger(ReaderAdvice.class);

    private final ConsoleProperties settings;
    private final MessageSource messages;
    private final Clock clock;

    ReaderAdvice(ConsoleProperties settings, MessageSource messages, Clock clock) {
        this.settings = settings;
        this.messages = messages;
        this.clock = clock;
    }

    @ModelAttribute
    void addReader(HttpServletRequest request, Model model) {
        Reader reader = Reader.of(request, settings.language());
        model.addAttribute("reader", reader);
        model.addAttribute("show", new Show(reader, messages, clock.instant()));
        model.addAttribute("questions", Question.values());
        model.addAttribute("here", Question.of(request.getServletPath()));
        model.addAttribute("address", address(request));
        model.addAttribute("poll", "");
        model.addAttribute("refreshSeconds", settings.refresh().toSeconds());
        model.addAttribute("loginRequired", settings.password() != null);
    }

    /** The page keeps asking, so it goes on by itself when PostgreSQL is back. */
    @ExceptionHandler
    String databaseTrouble(
            DataAccessException trouble, HttpServletRequest request, HttpServletResponse response, Model model) {
        addReader(request, model);
        Trouble kind = Trouble.of(trouble);
        if (kind == Trouble.DOWN || kind == Trouble.DENIED) {
            LOG.warn(
                    "PostgreSQL does not answer: {}",
                    trouble.getMostSpecificCause().getMessage());
        }
        response.setStatus(kind.status().value());
        model.addAttribute("trouble", kind.label());
        return "trouble";
    }

    private static String address(HttpServletRequest request) {
        String query = request.getQueryString();
        return request.getServletPath() + (query == null ? "" : "?" + query);
    }
}
