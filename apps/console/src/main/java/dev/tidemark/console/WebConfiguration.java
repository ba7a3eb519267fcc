package dev.tidemark.console;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Locale;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.LocaleResolver;

/** The language of texts follows the reader. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {

    @Bean
    LocaleResolver localeResolver(ConsoleProperties settings) {
        return new LocaleResolver() {
            @Override
            public Locale resolveLocale(HttpServletRequest request) {
                return Reader.locale(request, settings.language());
            }

            @Override
            public void setLocale(HttpServletRequest request, HttpServletResponse response, Locale locale) {
                throw new UnsupportedOperationException("The language is a cookie, see PreferencesPage");
            }
        };
    }
}
