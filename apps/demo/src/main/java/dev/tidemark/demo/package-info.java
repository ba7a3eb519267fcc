/** Everything in one JVM: broker, Connect worker, PostgreSQL, the totals app, a feed of events and a view of results. */
package dev.tidemark.demo;
