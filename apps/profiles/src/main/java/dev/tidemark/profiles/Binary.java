package dev.tidemark.profiles;

import dev.tidemark.common.ExactSum;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/** How the app writes its state: fields one after the other, texts with their length. */
final class Binary {

    private Binary() {}

    interface Writer<T> {
        void write(T value, DataOutput out) throws IOException;
    }

    interface Reader<T> {
        T read(DataInput in) throws IOException;
    }

    static <T> Serde<T> serde(Writer<T> writer, Reader<T> reader) {
        return Serdes.serdeFrom(
                (topic, value) -> value == null ? null : toBytes(writer, value),
                (topic, bytes) -> bytes == null ? null : fromBytes(reader, bytes));
    }

    private static <T> byte[] toBytes(Writer<T> writer, T value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try {
            writer.write(value, new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // Memory does not fail.
        }
        return bytes.toByteArray();
    }

    private static <T> T fromBytes(Reader<T> reader, byte[] bytes) {
        try {
            return reader.read(new DataInputStream(new ByteArrayInputStream(bytes)));
        } catch (IOException e) {
            throw new UncheckedIOException("state that this version of the app did not write", e);
        }
    }

    static void writeText(DataOutput out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length);
        out.write(bytes);
    }

    static String readText(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readUnsignedShort()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** For texts of any length. */
    static void writeLongText(DataOutput out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    static String readLongText(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static void writeSum(DataOutput out, ExactSum sum) throws IOException {
        out.writeLong(sum.high());
        out.writeLong(sum.low());
    }

    static ExactSum readSum(DataInput in) throws IOException {
        return new ExactSum(in.readLong(), in.readLong());
    }
}
