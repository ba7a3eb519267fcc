package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InputTimestampsTest {

    @ParameterizedTest
    @CsvSource({"1782900120000, 1782900120000", "0, 0", "-1, 0", "-9223372036854775808, 0"})
    void arrivalIsTheTimestampOfTheRecordAndNeverNegative(long timestamp, long arrival) {
        ConsumerRecord<Object, Object> record = new ConsumerRecord<>(
                "sales",
                0,
                0,
                timestamp,
                TimestampType.CREATE_TIME,
                0,
                0,
                null,
                null,
                new RecordHeaders(),
                Optional.empty());

        assertThat(new InputTimestamps().extract(record, 5)).isEqualTo(arrival);
    }
}
