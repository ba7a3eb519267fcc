package dev.tidemark.reconcile;

import java.time.Duration;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What a recount reads from.
 *
 * @param clients what every Kafka client needs to reach the brokers
 * @param patience how long they may be silent
 * @param jdbc the database
 * @param transactions its transactions
 */
record Surroundings(
        Map<String, Object> clients, Duration patience, JdbcClient jdbc, TransactionTemplate transactions) {}
