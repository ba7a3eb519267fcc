package dev.tidemark.common;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;

/**
 * An exact sum of amounts in 128-bit two's complement. Amounts are 64-bit, so no number of them that a log can hold
 * overflows it.
 *
 * @param high the upper 64 bits, signed
 * @param low the lower 64 bits, unsigned
 */
public record ExactSum(long high, long low) {

    public static final ExactSum ZERO = new ExactSum(0, 0);

    /** How many bytes {@link #writeTo} writes. */
    public static final int BYTES = 16;

    /** The sum of one amount. */
    public static ExactSum of(long amount) {
        return new ExactSum(amount >> 63, amount);
    }

    /** @throws IllegalArgumentException if it does not fit */
    public static ExactSum of(BigInteger sum) {
        if (sum.bitLength() >= Byte.SIZE * BYTES) {
            throw new IllegalArgumentException(sum + " has more than 128 bits");
        }
        return new ExactSum(sum.shiftRight(Long.SIZE).longValue(), sum.longValue());
    }

    public ExactSum plus(long amount) {
        long sum = low + amount;
        long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
        return new ExactSum(high + (amount >> 63) + carry, sum);
    }

    public ExactSum minus(long amount) {
        long borrow = Long.compareUnsigned(low, amount) < 0 ? 1 : 0;
        return new ExactSum(high - (amount >> 63) - borrow, low - amount);
    }

    public ExactSum plus(ExactSum other) {
        long sum = low + other.low;
        long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
        return new ExactSum(high + other.high + carry, sum);
    }

    /** The sum as a decimal number with the given number of decimal places. */
    public BigDecimal toDecimal(int scale) {
        return high == low >> 63 ? BigDecimal.valueOf(low, scale) : new BigDecimal(toBigInteger(), scale);
    }

    private BigInteger toBigInteger() {
        return new BigInteger(
                ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array());
    }

    public void writeTo(ByteBuffer buffer) {
        buffer.putLong(high).putLong(low);
    }

    public static ExactSum readFrom(ByteBuffer buffer) {
        return new ExactSum(buffer.getLong(), buffer.getLong());
    }
}
