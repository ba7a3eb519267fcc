package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "plain text of more than eight bytes", "é-Ω-日本", "☕ and 🎈", "\0", "\uFFFF"})
    void textIsValid(String text) {
        assertThat(Utf8.firstFault(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({
        "FFFE00, 0",
        "80, 0",
        "61C3, 1",
        "C080, 0", // an overlong NUL
        "C1BF, 0",
        "E09FBF, 0",
        "F08FBFBF, 0",
        "EDA080, 0", // a surrogate
        "F4908080, 0", // beyond U+10FFFF
        "F5808080, 0",
        "616161616161616161E282, 9",
        "61616161616161E2828A, -1"
    })
    void theFirstByteThatBeginsNoCharacterIsTold(String hex, int position) {
        assertThat(Utf8.firstFault(HexFormat.of().parseHex(hex))).isEqualTo(position);
    }

    @Test
    void everyPairOfBytesIsJudgedAsTheJdkDoes() {
        byte[] bytes = new byte[2];
        for (int pair = 0; pair < 1 << 16; pair++) {
            bytes[0] = (byte) (pair >> 8);
            bytes[1] = (byte) pair;
            assertThat(Utf8.firstFault(bytes) < 0).as("%04x", pair).isEqualTo(decodes(bytes));
        }
    }

    @Test
    void longerSequencesAreJudgedAsTheJdkDoes() {
        Random random = new Random(7);
        int valid = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[3 + random.nextInt(2)];
            random.nextBytes(bytes);
            bytes[0] |= (byte) 0xE0;
            for (int k = 1; k < bytes.length; k++) {
                bytes[k] = random.nextInt(20) == 0 ? bytes[k] : (byte) (bytes[k] & 0xBF | 0x80);
            }
            boolean expected = decodes(bytes);
            valid += expected ? 1 : 0;
            assertThat(Utf8.firstFault(bytes) < 0)
                    .as(HexFormat.of().formatHex(bytes))
                    .isEqualTo(expected);
        }
        assertThat(valid).isBetween(10_000, 90_000);
    }

    private static boolean decodes(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
