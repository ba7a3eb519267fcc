package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.ExactProduct.Fit;
import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExactProductTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "12.34, 1234",
        "12.3, 1230",
        "12, 1200",
        "12.300, 1230",
        "-5.00, -500",
        "-0.00, 0",
        "0e64, 0",
        "0.000000000000000000000000000000, 0",
        "1e2, 10000",
        "1E+2, 10000",
        "1.5e-1, 15",
        "1234000e-3, 123400",
        "100000000000000000000e-20, 100",
        "92233720368547758.07, 9223372036854775807",
        "-92233720368547758.08, -9223372036854775808",
        "92233720368547758.070000000000000000, 9223372036854775807"
    })
    void aDecimalIsCountedInUnitsOfTheLastPlace(String text, long units) {
        ExactProduct product = product(text);

        assertThat(product.fit(2)).isEqualTo(Fit.EXACT);
        assertThat(product.units()).isEqualTo(units);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"12.345", "0.001", "-0.001", "1e-3", "1e-64", "92233720368547758.071", "1.0000000000000000000001"
            })
    void furtherPlacesAreNotRounded(String text) {
        assertThat(product(text).fit(2)).isEqualTo(Fit.TOO_FINE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"92233720368547758.08", "-92233720368547758.09", "1e17", "1e64", "-99999999999999999999"})
    void whatOverflowsALongIsTooLarge(String text) {
        assertThat(product(text).fit(2)).isEqualTo(Fit.TOO_LARGE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "+1",
                " 1",
                "1 ",
                "1,5",
                "01",
                "-01",
                "00",
                ".5",
                "5.",
                "1.e1",
                "1e",
                "1e+",
                "1e1.5",
                "e1",
                "0x1",
                "NaN",
                "Infinity",
                "-Infinity",
                "1d",
                "1_000",
                "١٢",
                "１２",
                "1.2.3",
                "--1",
                "1\0"
            })
    void whatIsNotInTheGrammarOfJsonIsNoDecimal(String text) {
        assertThat(new ExactProduct().times(text.toCharArray(), 0, text.length()))
                .isEqualTo(ExactProduct.NOT_A_DECIMAL);
    }

    @Test
    void lengthAndExponentAreBounded() {
        assertThat(fault("1".repeat(64))).isNull();
        assertThat(fault("1".repeat(65))).isEqualTo(ExactProduct.TOO_LONG);
        assertThat(fault("1e64")).isNull();
        assertThat(fault("1e-64")).isNull();
        assertThat(fault("1e065")).isEqualTo(ExactProduct.EXPONENT_TOO_FAR);
        assertThat(fault("1e-65")).isEqualTo(ExactProduct.EXPONENT_TOO_FAR);
        assertThat(fault("1e1000000000")).isEqualTo(ExactProduct.EXPONENT_TOO_FAR);
        assertThat(fault("1e-100000000")).isEqualTo(ExactProduct.EXPONENT_TOO_FAR);
        assertThat(fault("1e99999999999999999999")).isEqualTo(ExactProduct.EXPONENT_TOO_FAR);
    }

    @Test
    void aProductThatOverflowsInTheMiddleFitsAtTheEnd() {
        ExactProduct product = product("9223372036854775807", "1000", "0.0001");

        assertThat(product.fit(1)).isEqualTo(Fit.EXACT);
        assertThat(product.units()).isEqualTo(9223372036854775807L);
    }

    @Test
    void aFaultyFactorLeavesTheProductAsItWas() {
        ExactProduct product = product("1.5");

        product.times("x".toCharArray(), 0, 1);

        assertThat(product).hasToString("1.5");
    }

    @Test
    void randomProductsAreThoseOfBigDecimal() {
        Random random = new Random(11);
        Integer[] seen = {0, 0, 0};
        for (int i = 0; i < 100_000; i++) {
            String[] factors = new String[1 + random.nextInt(3)];
            BigDecimal exact = BigDecimal.ONE;
            for (int k = 0; k < factors.length; k++) {
                factors[k] = decimal(random);
                exact = exact.multiply(new BigDecimal(factors[k]));
            }
            int places = random.nextInt(19);
            ExactProduct product = product(factors);

            Fit fit = product.fit(places);

            seen[fit.ordinal()]++;
            BigDecimal shifted = exact.movePointRight(places).stripTrailingZeros();
            Fit expected = shifted.scale() > 0
                    ? Fit.TOO_FINE
                    : shifted.toBigInteger().bitLength() > 63 ? Fit.TOO_LARGE : Fit.EXACT;
            assertThat(fit).as("%s at %d", String.join(" * ", factors), places).isEqualTo(expected);
            if (fit == Fit.EXACT) {
                assertThat(BigDecimal.valueOf(product.units())).isEqualByComparingTo(shifted);
            }
        }
        assertThat(seen).allMatch(count -> count > 5_000);
    }

    private static String decimal(Random random) {
        StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "-" : "");
        int whole = random.nextInt(random.nextInt(8) == 0 ? 25 : 6);
        text.append(whole == 0 ? "0" : String.valueOf(1 + random.nextInt(9)));
        for (int i = 1; i < whole; i++) {
            text.append(random.nextInt(10));
        }
        int fraction = random.nextInt(random.nextInt(8) == 0 ? 25 : 5);
        text.append(fraction > 0 ? "." : "");
        for (int i = 0; i < fraction; i++) {
            text.append(random.nextInt(3) == 0 ? random.nextInt(10) : 0);
        }
        return random.nextInt(6) == 0
                ? text.append('e').append(random.nextInt(41) - 20).toString()
                : text.toString();
    }

    private static String fault(String text) {
        return new ExactProduct().times(text.toCharArray(), 0, text.length());
    }

    private static ExactProduct product(String... factors) {
        ExactProduct product = new ExactProduct();
        for (String factor : factors) {
            String padded = "9" + factor + "9";
            assertThat(product.times(padded.toCharArray(), 1, factor.length())).isNull();
        }
        return product;
    }
}
