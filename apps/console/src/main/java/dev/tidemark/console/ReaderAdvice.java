package dev.tidemark.console;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.MessageSource;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.ResponseStatus;

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
        model.addAttribute("refreshSeconds", settings.refresh().toSeconds());
        model.addAttribute("loginRequired", settings.password() != null);
    }

    /** The page keeps asking, so it goes on by itself when PostgreSQL is back. */
    @ExceptionHandler
    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    String databaseTrouble(DataAccessException trouble, HttpServletRequest request, Model model) {
        addReader(request, model);
        boolean missing = Trouble.isMissingTable(trouble);
        if (!missing) {
            LOG.warn(
                    "PostgreSQL does not answer: {}",
                    trouble.getMostSpecificCause().getMessage());
        }
        model.addAttribute("missing", missing);
        return "trouble";
    }

    private static String address(HttpServletRequest request) {
        String query = request.getQueryString();
        return request.getServletPath() + (query == null ? "" : "?" + query);
    }
}
