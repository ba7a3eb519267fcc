package dev.tidemark.demo;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.csv.DuplicateHeaderMode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a file as JSON records. A CSV file with a header gives an object of strings per row, with the row's number
 * (from 1) in the field {@value #ROW} unless a column has that name; JSON lines stay as they are. Either may be
 * compressed with gzip. What cannot be read is a {@link DemoException} that names the file and the row. Not
 * thread-safe, except for {@link #rows()} and {@link #fractionRead()}.
 */
final class FeedFile implements AutoCloseable {

    static final String ROW = "row";

    private static final int BUFFER = 1 << 16;
    private static final JsonMapper JSON = new JsonMapper();

    private final Path file;
    private final FileChannel channel;
    private final long size;
    private final Iterator<byte[]> records;
    private volatile long rows;
    private volatile long position;

    private FeedFile(Path file) throws IOException {
        this.file = file;
        this.channel = FileChannel.open(file);
        try {
            this.size = channel.size();
            InputStream in = unzip(new BufferedInputStream(Channels.newInputStream(channel), BUFFER));
            this.records = isCsv(in) ? csv(in) : lines(in);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Opens the file and reads a CSV file's header. */
    static FeedFile open(Path file) {
        try {
            return new FeedFile(file);
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            throw new DemoException("%s cannot be read: %s.".formatted(file, reason(e)), e);
        }
    }

    /** The next record's bytes, or null at the end. */
    byte[] next() {
        try {
            byte[] row = records.hasNext() ? records.next() : null;
            position = channel.position();
            rows += row == null ? 0 : 1;
            return row;
        } catch (IOException | UncheckedIOException | IllegalStateException e) {
            throw new DemoException("%s, row %d cannot be read: %s.".formatted(file, rows + 1, reason(e)), e);
        }
    }

    /** How many records have been read. */
    long rows() {
        return rows;
    }

    /** Which part of the file's bytes has been read, from 0 to 1. */
    double fractionRead() {
        return size == 0 ? 1 : (double) position / size;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private static InputStream unzip(BufferedInputStream in) throws IOException {
        in.mark(2);
        boolean gzip = in.read() == 0x1f && in.read() == 0x8b;
        in.reset();
        return gzip ? new BufferedInputStream(new GZIPInputStream(in, BUFFER), BUFFER) : in;
    }

    private boolean isCsv(InputStream in) throws IOException {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT).replaceFirst("\\.gz$", "");
        if (name.endsWith(".csv")) {
            return true;
        }
        if (name.endsWith(".jsonl") || name.endsWith(".ndjson") || name.endsWith(".json")) {
            return false;
        }
        in.mark(BUFFER);
        byte[] beginning = in.readNBytes(BUFFER);
        in.reset();
        return !new String(beginning, StandardCharsets.UTF_8).stripLeading().startsWith("{");
    }

    private Iterator<byte[]> csv(InputStream in) throws IOException {
        skipByteOrderMark(in);
        CSVParser parser = CSVFormat.DEFAULT
                .builder()
                .setHeader()
                .setSkipHeaderRecord(true)
                .setDuplicateHeaderMode(DuplicateHeaderMode.DISALLOW)
                .get()
                .parse(new InputStreamReader(
                        in,
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .onMalformedInput(CodingErrorAction.REPORT)
                                .onUnmappableCharacter(CodingErrorAction.REPORT)));
        List<String> columns = parser.getHeaderNames();
        if (columns.isEmpty()) {
            throw new DemoException("%s has no header; its first row names the columns.".formatted(file));
        }
        Iterator<CSVRecord> csvRecords = parser.iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return csvRecords.hasNext();
            }

            @Override
            public byte[] next() {
                return row(columns, csvRecords.next());
            }
        };
    }

    private byte[] row(List<String> columns, CSVRecord csvRecord) {
        if (csvRecord.size() != columns.size()) {
            throw new DemoException("%s, row %d has %d values, but the header names %d columns."
                    .formatted(file, csvRecord.getRecordNumber(), csvRecord.size(), columns.size()));
        }
        ObjectNode node = JSON.createObjectNode();
        node.put(ROW, Long.toString(csvRecord.getRecordNumber()));
        for (int i = 0; i < columns.size(); i++) {
            node.put(columns.get(i), csvRecord.get(i));
        }
        return JSON.writeValueAsBytes(node);
    }

    /** Reads bytes as Latin-1 and writes them as such, which keeps every byte. */
    private Iterator<byte[]> lines(InputStream in) {
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1), BUFFER)
                .lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.getBytes(StandardCharsets.ISO_8859_1))
                .iterator();
    }

    private static void skipByteOrderMark(InputStream in) throws IOException {
        in.mark(3);
        if (in.read() != 0xef || in.read() != 0xbb || in.read() != 0xbf) {
            in.reset();
        }
    }

    private static String reason(Exception e) {
        Throwable cause = e.getCause() instanceof IOException io ? io : e;
        return cause instanceof CharacterCodingException ? "it is not UTF-8" : String.valueOf(cause.getMessage());
    }
}
