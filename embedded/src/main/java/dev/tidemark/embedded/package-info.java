/** Placeholder. */
package dev.tidemark.embedded;
