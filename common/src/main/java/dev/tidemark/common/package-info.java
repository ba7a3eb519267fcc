/** Placeholder. */
package dev.tidemark.common;
