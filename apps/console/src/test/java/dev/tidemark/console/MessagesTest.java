package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.Disposition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every text is there in every language, and every page asks for texts that are there. */
class MessagesTest {

    private static final Path RESOURCES = Path.of("src", "main", "resources", "console");
    private static final Pattern USED = Pattern.compile("#\\{([a-z][\\w.-]*)[(}]");

    @Test
    void bothLanguagesHaveTheSameTexts() throws IOException {
        assertThat(messages("messages_ja").stringPropertyNames())
                .isEqualTo(messages("messages").stringPropertyNames());
    }

    @Test
    void bothLanguagesFillInTheSameValues() throws IOException {
        Properties english = messages("messages");
        Properties japanese = messages("messages_ja");

        for (String key : english.stringPropertyNames()) {
            assertThat(placeholders(japanese.getProperty(key)))
                    .as(key)
                    .isEqualTo(placeholders(english.getProperty(key)));
        }
    }

    @Test
    void noTextIsEmptyOrWrittenInTheOtherLanguage() throws IOException {
        Properties english = messages("messages");

        messages("messages_ja")
                .forEach((key, text) ->
                        assertThat(text.toString()).as(key.toString()).isNotBlank());
        english.forEach((key, text) ->
                assertThat(text.toString()).as(key.toString()).isNotBlank().doesNotContainPattern("[\\u3040-\\u9fff]"));
    }

    @Test
    void everyTextThatAPageAsksForIsThere() throws IOException {
        Set<String> used = new TreeSet<>();
        try (Stream<Path> templates = Files.list(RESOURCES.resolve("templates"))) {
            for (Path template : templates.toList()) {
                Matcher matcher = USED.matcher(Files.readString(template));
                while (matcher.find()) {
                    used.add(matcher.group(1));
                }
            }
        }

        assertThat(used).hasSizeGreaterThan(100);
        assertThat(messages("messages").stringPropertyNames()).containsAll(used);
    }

    @Test
    void everyQuestionDispositionAndCheckHasItsText() throws IOException {
        List<String> keys = Stream.of(
                        Arrays.stream(Question.values())
                                .flatMap(question -> Stream.of(question.key(), question.hint())),
                        Arrays.stream(Disposition.values()).map(disposition -> "disposition." + disposition.label()),
                        Stream.of("disposition.held", "disposition.unaccounted"),
                        Arrays.stream(PairsPage.Span.values()).map(span -> "pairs.span." + span.label()),
                        Arrays.stream(Publishable.Kind.values()).flatMap(kind -> Stream.of("", ".met", ".missing")
                                .map(end -> "check." + kind.label() + end)),
                        Stream.of("provisional", "final", "corrected", "matched", "left-unmatched", "right-unmatched")
                                .map(status -> "status." + status),
                        Stream.of("different", "missing", "unexpected", "version-missing", "ledger")
                                .map(kind -> "break." + kind),
                        Stream.of("watermark", "idle", "end-of-input").map(cause -> "closed." + cause))
                .flatMap(stream -> stream)
                .toList();

        assertThat(messages("messages").stringPropertyNames()).containsAll(keys);
    }

    private static String placeholders(String text) {
        return Pattern.compile("\\{\\d}")
                .matcher(new MessageFormat(text, Locale.ROOT).toPattern())
                .results()
                .map(result -> result.group())
                .sorted()
                .collect(Collectors.joining());
    }

    private static Properties messages(String name) throws IOException {
        Properties messages = new Properties();
        try (var reader = Files.newBufferedReader(RESOURCES.resolve(name + ".properties"))) {
            messages.load(reader);
        }
        return messages;
    }
}
