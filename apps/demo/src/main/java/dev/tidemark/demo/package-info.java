/** Everything in one JVM: broker, Connect worker, PostgreSQL, the totals and pairs apps, a feed of events and a view of results. */
package dev.tidemark.demo;
