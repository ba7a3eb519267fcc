package dev.tidemark.common;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * The exact product of decimal numbers that are given as text in the grammar of JSON numbers. It works on longs and
 * turns to big numbers only where those overflow. Not thread-safe.
 */
final class ExactProduct {

    /** How a product fits a fixed number of decimal places. */
    enum Fit {
        EXACT,
        /** It has further decimal places that are not zero. */
        TOO_FINE,
        /** It is exact, but as a whole number of last places it overflows a long. */
        TOO_LARGE
    }

    static final int MAX_LENGTH = 64;
    static final int MAX_EXPONENT = 64;

    static final String NOT_A_DECIMAL = "but a decimal number such as 12.30 is expected";
    static final String TOO_LONG = "which is longer than " + MAX_LENGTH + " characters";
    static final String EXPONENT_TOO_FAR = "whose exponent is not between -" + MAX_EXPONENT + " and " + MAX_EXPONENT;

    private static final int SAFE_DIGITS = 18;
    private static final int NONE = Integer.MIN_VALUE;
    private static final long[] POWERS_OF_TEN = powersOfTen();

    // The product is unscaled / 10^scale until that overflows, and big from then on.
    private long unscaled = 1;
    private int scale;
    private BigDecimal big;
    private long units;

    /**
     * Multiplies by the number in this part of a text.
     *
     * @return null, or what is wrong with the text as the end of a sentence; the product is then as before
     */
    String times(char[] text, int from, int length) {
        if (length > MAX_LENGTH) {
            return TOO_LONG;
        }
        int end = from + length;
        int whole = from < end && text[from] == '-' ? from + 1 : from;
        int wholeEnd = endOfDigits(text, whole, end);
        if (wholeEnd == whole || (wholeEnd > whole + 1 && text[whole] == '0')) {
            return NOT_A_DECIMAL;
        }
        boolean fractional = wholeEnd < end && text[wholeEnd] == '.';
        int fraction = fractional ? wholeEnd + 1 : wholeEnd;
        int fractionEnd = fractional ? endOfDigits(text, fraction, end) : wholeEnd;
        if (fractional && fractionEnd == fraction) {
            return NOT_A_DECIMAL;
        }
        int exponent = fractionEnd == end ? 0 : exponent(text, fractionEnd, end);
        if (exponent == NONE) {
            return NOT_A_DECIMAL;
        }
        if (Math.abs(exponent) > MAX_EXPONENT) {
            return EXPONENT_TOO_FAR;
        }
        if (wholeEnd - whole + fractionEnd - fraction > SAFE_DIGITS) {
            times(new BigDecimal(text, from, length));
            return null;
        }
        long number = append(append(0, text, whole, wholeEnd), text, fraction, fractionEnd);
        times(whole > from ? -number : number, fractionEnd - fraction - exponent);
        return null;
    }

    /** Finds out how the product fits this number of decimal places (0 to 18). */
    Fit fit(int places) {
        if (big != null) {
            return fitBig(places);
        }
        int excess = scale - places;
        if (excess == 0 || unscaled == 0) {
            units = unscaled;
            return Fit.EXACT;
        }
        if (excess > 0) {
            if (excess > SAFE_DIGITS || unscaled % POWERS_OF_TEN[excess] != 0) {
                return Fit.TOO_FINE;
            }
            units = unscaled / POWERS_OF_TEN[excess];
            return Fit.EXACT;
        }
        if (-excess > SAFE_DIGITS || overflows(unscaled, POWERS_OF_TEN[-excess])) {
            return Fit.TOO_LARGE;
        }
        units = unscaled * POWERS_OF_TEN[-excess];
        return Fit.EXACT;
    }

    /** The product in units of the last place that {@link #fit} was asked for; only after {@link Fit#EXACT}. */
    long units() {
        return units;
    }

    @Override
    public String toString() {
        return (big != null ? big : BigDecimal.valueOf(unscaled, scale)).toString();
    }

    private Fit fitBig(int places) {
        BigDecimal shortest = big.stripTrailingZeros();
        if (shortest.scale() > places) {
            return Fit.TOO_FINE;
        }
        BigInteger whole = shortest.setScale(places).unscaledValue();
        if (whole.bitLength() >= Long.SIZE) {
            return Fit.TOO_LARGE;
        }
        units = whole.longValue();
        return Fit.EXACT;
    }

    private void times(long otherUnscaled, int otherScale) {
        if (big == null && !overflows(unscaled, otherUnscaled)) {
            unscaled *= otherUnscaled;
            scale += otherScale;
        } else {
            times(BigDecimal.valueOf(otherUnscaled, otherScale));
        }
    }

    private void times(BigDecimal other) {
        big = (big != null ? big : BigDecimal.valueOf(unscaled, scale)).multiply(other);
    }

    private static boolean overflows(long a, long b) {
        return Math.multiplyHigh(a, b) != (a * b) >> (Long.SIZE - 1);
    }

    /** The exponent that begins with its letter here; one that is too far is cut to something still too far. */
    private static int exponent(char[] text, int from, int end) {
        if (text[from] != 'e' && text[from] != 'E') {
            return NONE;
        }
        boolean signed = from + 1 < end && (text[from + 1] == '-' || text[from + 1] == '+');
        int first = signed ? from + 2 : from + 1;
        if (first == end || endOfDigits(text, first, end) != end) {
            return NONE;
        }
        int exponent = 0;
        for (int i = first; i < end; i++) {
            exponent = Math.min(exponent * 10 + text[i] - '0', MAX_EXPONENT + 1);
        }
        return text[from + 1] == '-' ? -exponent : exponent;
    }

    private static int endOfDigits(char[] text, int from, int end) {
        int i = from;
        while (i < end && isDigit(text[i])) {
            i++;
        }
        return i;
    }

    private static long append(long number, char[] text, int from, int end) {
        long longer = number;
        for (int i = from; i < end; i++) {
            longer = longer * 10 + text[i] - '0';
        }
        return longer;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static long[] powersOfTen() {
        long[] powers = new long[SAFE_DIGITS + 1];
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }
}
