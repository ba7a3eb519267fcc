package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExactSumTest {

    @Test
    void aSumIsExactInBothDirectionsBeyondSixtyFourBits() {
        ExactSum sum = ExactSum.of(Long.MAX_VALUE).plus(1);

        assertThat(sum.toDecimal(2)).isEqualTo(new BigDecimal("92233720368547758.08"));
        assertThat(sum.plus(-1).toDecimal(0)).isEqualTo(BigDecimal.valueOf(Long.MAX_VALUE));
        assertThat(ExactSum.of(Long.MIN_VALUE).plus(-1).toDecimal(0)).isEqualTo(new BigDecimal("-9223372036854775809"));
        assertThat(ExactSum.ZERO.toDecimal(2)).isEqualTo(new BigDecimal("0.00"));
    }

    @Test
    void randomSumsAreThoseOfBigInteger() {
        Random random = new Random(7);
        BigInteger expected = BigInteger.ZERO;
        ExactSum sum = ExactSum.ZERO;
        ExactSum halves = ExactSum.ZERO;
        for (int i = 0; i < 100_000; i++) {
            long amount = random.nextLong() >> random.nextInt(64);
            expected = expected.add(BigInteger.valueOf(amount));
            sum = sum.plus(amount);
            halves = halves.plus(ExactSum.of(amount));
            assertThat(sum.minus(amount).plus(amount)).isEqualTo(sum);
            assertThat(sum.minus(amount).toDecimal(0).toBigInteger())
                    .isEqualTo(expected.subtract(BigInteger.valueOf(amount)));
            assertThat(sum.toDecimal(0).toBigInteger()).isEqualTo(expected);
            assertThat(ExactSum.of(expected)).isEqualTo(sum);
        }
        assertThat(halves).isEqualTo(sum);
        ByteBuffer buffer = ByteBuffer.allocate(ExactSum.BYTES);
        sum.writeTo(buffer);
        assertThat(ExactSum.readFrom(buffer.flip())).isEqualTo(sum);
    }

    @Test
    void whatHasMoreThan128BitsIsNoSum() {
        BigInteger least = BigInteger.ONE.shiftLeft(127).negate();

        assertThat(ExactSum.of(least).toDecimal(0).toBigInteger()).isEqualTo(least);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExactSum.of(least.negate()))
                .withMessage("170141183460469231731687303715884105728 has more than 128 bits");
    }
}
