/** Placeholder. */
package dev.tidemark.demo;
