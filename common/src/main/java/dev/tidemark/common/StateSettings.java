package dev.tidemark.common;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How an app keeps its state: {@code tidemark.state}.
 *
 * @param memory what all stores of the process share outside of the heap; see {@link StateMemory}
 */
@ConfigurationProperties(prefix = "tidemark.state", ignoreUnknownFields = false)
record StateSettings(@DefaultValue("256MB") DataSize memory) {

    private static final DataSize LEAST = DataSize.ofMegabytes(16);
    private static final DataSize MOST = DataSize.ofTerabytes(1);

    StateSettings {
        if (memory == null || memory.compareTo(LEAST) < 0 || memory.compareTo(MOST) > 0) {
            throw new IllegalArgumentException("memory is " + memory + ", but " + LEAST.toMegabytes() + "MB to "
                    + MOST.toTerabytes() + "TB is allowed");
        }
    }
}
