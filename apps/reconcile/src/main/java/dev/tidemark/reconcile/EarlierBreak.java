package dev.tidemark.reconcile;

import java.util.UUID;

/**
 * What an earlier recount found, and none has judged since.
 *
 * @param run the recount that found it
 * @param number which of its breaks it is
 * @param subject what it is about
 */
record EarlierBreak(UUID run, int number, Break.Subject subject) {}
