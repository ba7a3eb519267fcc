package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FeedFileTest {

    @TempDir
    Path directory;

    @Test
    void eachRowOfACsvFileIsAnObjectOfTextsWithItsNumber() throws IOException {
        assertThat(read(file("sales.csv", "store,amount\nS001,1.50\nS002,2\n")))
                .containsExactly(
                        "{\"row\":\"1\",\"store\":\"S001\",\"amount\":\"1.50\"}",
                        "{\"row\":\"2\",\"store\":\"S002\",\"amount\":\"2\"}");
    }

    @Test
    void quotedFieldsMayHoldCommasQuotesAndNewlines() throws IOException {
        assertThat(read(file("sales.csv", "store,note\nS001,\"a, \"\"b\"\"\nc\"\nS002,\n")))
                .containsExactly(
                        "{\"row\":\"1\",\"store\":\"S001\",\"note\":\"a, \\\"b\\\"\\nc\"}",
                        "{\"row\":\"2\",\"store\":\"S002\",\"note\":\"\"}");
    }

    @Test
    void aColumnNamedRowIsKept() throws IOException {
        assertThat(read(file("sales.csv", "row,amount\nr7,1\n"))).containsExactly("{\"row\":\"r7\",\"amount\":\"1\"}");
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFirstColumn() throws IOException {
        assertThat(read(file("sales.csv", "\ufeffstore\nS001\n")))
                .containsExactly("{\"row\":\"1\",\"store\":\"S001\"}");
    }

    @Test
    void jsonLinesStayAsTheyAre() throws IOException {
        assertThat(read(file("sales.jsonl", "{\"amount\": 1.50, \"café\":1}\n\n{broken\n")))
                .containsExactly("{\"amount\": 1.50, \"café\":1}", "{broken");
    }

    @Test
    void bytesThatAreNotTextStayAsTheyAreInJsonLines() throws IOException {
        byte[] line = {'{', (byte) 0xff, (byte) 0xc3, '}'};
        Path file = Files.write(directory.resolve("sales.jsonl"), line);

        try (FeedFile feed = FeedFile.open(file)) {
            assertThat(feed.next()).isEqualTo(line);
        }
    }

    @Test
    void gzipIsFoundByContentNotByName() throws IOException {
        Path zipped = Files.write(directory.resolve("sales.csv"), gzip("store\nS001\n"));
        Path named = Files.write(directory.resolve("more.jsonl.gz"), gzip("{}\n"));

        assertThat(read(zipped)).containsExactly("{\"row\":\"1\",\"store\":\"S001\"}");
        assertThat(read(named)).containsExactly("{}");
    }

    @Test
    void withoutATellingNameTheContentDecides() throws IOException {
        assertThat(read(file("one.txt", " {\"a\":1}\n"))).containsExactly(" {\"a\":1}");
        assertThat(read(file("two.txt", "a\n1\n"))).containsExactly("{\"row\":\"1\",\"a\":\"1\"}");
    }

    @Test
    void rowsAndBytesAreCounted() throws IOException {
        try (FeedFile feed = FeedFile.open(file("sales.csv", "a\n1\n2\n"))) {
            while (feed.next() != null) {
                assertThat(feed.fractionRead()).isBetween(0.0, 1.0);
            }

            assertThat(feed.rows()).isEqualTo(2);
            assertThat(feed.fractionRead()).isEqualTo(1.0);
        }
    }

    @Test
    void aRowWithTooFewValuesIsNamed() throws IOException {
        Path file = file("sales.csv", "store,amount\nS001,1\nS002\n");

        assertThatThrownBy(() -> read(file))
                .isInstanceOf(DemoException.class)
                .hasMessage("%s, row 2 has 1 values, but the header names 2 columns.", file);
    }

    @Test
    void aRowWithAnOpenQuoteIsNamed() throws IOException {
        Path file = file("sales.csv", "store\nS001\n\"S002\n");

        assertThatThrownBy(() -> read(file))
                .isInstanceOf(DemoException.class)
                .hasMessageStartingWith("%s, row 2 cannot be read: ", file);
    }

    @Test
    void aRowThatIsNotUtf8IsNamed() throws IOException {
        byte[] text = "store\nS001\nS\u00e90\n".getBytes(StandardCharsets.ISO_8859_1);
        Path file = Files.write(directory.resolve("sales.csv"), text);

        assertThatThrownBy(() -> read(file))
                .isInstanceOf(DemoException.class)
                .hasMessageEndingWith("it is not UTF-8.")
                .hasMessageContaining("sales.csv");
    }

    @Test
    void aFileThatEndsTooEarlyIsNamed() throws IOException {
        byte[] zipped = gzip("{}\n");
        Path file = Files.write(directory.resolve("sales.jsonl.gz"), Arrays.copyOf(zipped, zipped.length - 9));

        assertThatThrownBy(() -> read(file)).isInstanceOf(DemoException.class).hasMessageContaining("sales.jsonl.gz");
    }

    @Test
    void repeatedColumnNamesAreRefused() throws IOException {
        Path file = file("sales.csv", "store,store\nS001,S002\n");

        assertThatThrownBy(() -> read(file))
                .isInstanceOf(DemoException.class)
                .hasMessageContaining("sales.csv")
                .hasMessageContaining("store");
    }

    @Test
    void anEmptyCsvFileHasNoHeader() throws IOException {
        Path file = file("sales.csv", "");

        assertThatThrownBy(() -> read(file))
                .isInstanceOf(DemoException.class)
                .hasMessage("%s has no header; its first row names the columns.", file);
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content);
    }

    private static List<String> read(Path file) throws IOException {
        List<String> values = new ArrayList<>();
        try (FeedFile feed = FeedFile.open(file)) {
            for (byte[] value = feed.next(); value != null; value = feed.next()) {
                values.add(new String(value, StandardCharsets.UTF_8));
            }
        }
        return values;
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
