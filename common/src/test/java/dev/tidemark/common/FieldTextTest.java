package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldTextTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            /kind     | {"kind":"visit"}                             | visit
            /kind     | {"a":{"kind":"x"},"kind":"vis\\u0069t","b":1} | visit
            /kind     | {"kind":1.50}                                | 1.50
            /kind     | {"kind":1e99999999999}                       | 1e99999999999
            /kind     | {"n":1e99999999999,"kind":true}              | true
            /kind     | {"kind":null}                                | -
            /kind     | {"kind":{"kind":"x"}}                        | -
            /kind     | {"kind":["x"]}                               | -
            /kind     | {"other":"x"}                                | -
            /a/kind   | {"a":{"b":[{"kind":"y"}],"kind":"x"}}        | x
            /a/1/kind | {"a":[{"kind":"y"},{"kind":"x"},3]}          | x
            /a/kind   | {"a":"kind"}                                 | -
            """)
    void theTextOfTheFieldIsFoundAsItIsWritten(String pointer, String value, String text) {
        assertThat(new FieldText(pointer, 1_000).in(value.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(text);
    }
}
