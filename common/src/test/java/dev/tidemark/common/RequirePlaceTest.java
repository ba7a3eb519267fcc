package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.Test;

class RequirePlaceTest {

    @Test
    void whatKafkasProducersChooseIsTheRightPlaceAndNoOtherIs() {
        for (String key : new String[] {"C1", "日本", "", "a longer key than others"}) {
            int chosen = BuiltInPartitioner.partitionForKey(key.getBytes(java.nio.charset.StandardCharsets.UTF_8), 7);

            assertThatCode(() -> RequirePlace.require("customers", key, chosen, 7))
                    .doesNotThrowAnyException();
            IntStream.range(0, 7).filter(partition -> partition != chosen).forEach(partition -> assertThatThrownBy(
                            () -> RequirePlace.require("customers", key, partition, 7))
                    .hasMessageStartingWith("The key \"" + key + "\" is in partition " + partition
                            + " of customers, but Kafka's own producers choose " + chosen));
        }
    }
}
