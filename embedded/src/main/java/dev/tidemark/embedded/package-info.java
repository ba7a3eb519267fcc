/** A Kafka broker, a Connect worker and PostgreSQL in one JVM, for the demo and for tests. */
package dev.tidemark.embedded;
