package dev.tidemark.common;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Tells whether bytes are UTF-8 in the strict sense of RFC 3629: no overlong forms, no surrogates. Allocates nothing. */
final class Utf8 {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long NOT_ASCII = 0x8080_8080_8080_8080L;

    private Utf8() {}

    /** The position of the first byte that begins no valid character, or −1. */
    static int firstFault(byte[] bytes) {
        int i = 0;
        while (i < bytes.length) {
            if (bytes.length - i >= Long.BYTES && ((long) LONGS.get(bytes, i) & NOT_ASCII) == 0) {
                i += Long.BYTES;
                continue;
            }
            int length = characterLength(bytes, i);
            if (length == 0) {
                return i;
            }
            i += length;
        }
        return -1;
    }

    /** Table 3-7 of the Unicode standard: only the second byte has a range that depends on the first. */
    private static int characterLength(byte[] bytes, int i) {
        int first = bytes[i] & 0xFF;
        if (first < 0x80) {
            return 1;
        }
        int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        if (length == 0 || length > bytes.length - i) {
            return 0;
        }
        int second = bytes[i + 1] & 0xFF;
        int lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < lowest || second > highest) {
            return 0;
        }
        for (int k = 2; k < length; k++) {
            if ((bytes[i + k] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    /** How many bytes a text takes; half of a surrogate pair counts as three. */
    static int length(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            }
        }
        return bytes;
    }
}
