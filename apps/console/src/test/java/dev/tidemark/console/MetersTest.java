package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MetersTest {

    @Test
    void lagsAndEventsAreReadAndTheRestIsLeft() {
        Meters meters = Meters.of("""
                # HELP kafka_consumer_fetch_manager_records_lag The latest lag of the partition
                # TYPE kafka_consumer_fetch_manager_records_lag gauge
                kafka_consumer_fetch_manager_records_lag{client_id="a",partition="1",topic="sales"} 12.0
                kafka_consumer_fetch_manager_records_lag{client_id="a",partition="0",topic="sales"} 0.0
                kafka_consumer_fetch_manager_records_lag{client_id="a",partition="2",topic="sales"} NaN
                kafka_consumer_fetch_manager_records_lag{client_id="a-restore-consumer",partition="0",topic="log"} 7.0
                kafka_consumer_fetch_manager_records_lag_avg{client_id="a",partition="0",topic="sales"} 3.5
                tidemark_events_total{disposition="late",pipeline="sales"} 1.2E7
                tidemark_events_total{disposition="late",pipeline="refunds"} 1.0
                jvm_threads_live_threads 40.0
                """);

        assertThat(meters.lags()).containsExactly(new Meters.Lag("sales", 0, 0), new Meters.Lag("sales", 1, 12));
        assertThat(meters.dispositions()).containsExactly(new Meters.Count("late", 12_000_001));
    }
}
