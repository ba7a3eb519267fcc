package dev.tidemark.enrich;

import dev.tidemark.common.Outcome;

/** What a record of the table leads to. */
sealed interface TableChange {

    /**
     * The table changes at the time of this record.
     *
     * @param profile what it says from then on; null: the key is deleted
     */
    record Put(Profile profile) implements TableChange {}

    /** The record was not simply counted. */
    record Settled(Outcome outcome) implements TableChange {}
}
