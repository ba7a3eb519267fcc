package dev.tidemark.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are closed and started again. */
class LifecycleIT {

    @TempDir
    private Path directory;

    @Test
    void aBrokerStartsAgainOnItsPortWithItsData() throws Exception {
        EmbeddedKafka first = EmbeddedKafka.start(directory, 0);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", first.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("sales", 3, (short) 1)))
                    .all()
                    .get();
        }
        first.close();
        first.close();

        int port = Integer.parseInt(first.bootstrapServers().split(":")[1]);
        try (EmbeddedKafka second = EmbeddedKafka.start(directory, port);
                Admin admin = Admin.create(Map.of("bootstrap.servers", second.bootstrapServers()))) {
            assertThat(second.bootstrapServers()).isEqualTo(first.bootstrapServers());
            assertThat(admin.describeTopics(List.of("sales"))
                            .allTopicNames()
                            .get()
                            .get("sales")
                            .partitions())
                    .hasSize(3);
        }
    }

    @Test
    void aBrokerWhosePortIsTakenSaysSo() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> EmbeddedKafka.start(directory, taken.getLocalPort()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Test
    void aDatabaseStartsAgainOnItsPortWithItsData() {
        EmbeddedDatabase database = EmbeddedDatabase.start(directory, 0);
        database.migrate();
        Sql sql = new Sql(database.dataSource());
        sql.execute("create table kept as select 1 as one");
        int port = database.port();
        database.stop();
        database.stop();

        database.restart();
        assertThat(sql.rows("select one from kept")).containsExactly("1");
        database.close();
        database.close();

        try (EmbeddedDatabase again = EmbeddedDatabase.start(directory, port)) {
            again.migrate();
            assertThat(sql.rows("select one from kept")).containsExactly("1");
        }
    }
}
