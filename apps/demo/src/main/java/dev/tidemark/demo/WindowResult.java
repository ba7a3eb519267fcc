package dev.tidemark.demo;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * One version of a window's total as PostgreSQL has it.
 *
 * @param delta what the version changed, or null
 * @param reason why a correction was made, or null
 * @param causeEventId the event that caused a correction, or null
 */
record WindowResult(
        String key,
        Instant start,
        Instant end,
        int version,
        String status,
        BigDecimal total,
        BigDecimal delta,
        String reason,
        String causeEventId) {}
