package dev.tidemark.enrich;

import dev.tidemark.common.Item;

/** What the rows are made from. */
sealed interface Finding {

    /**
     * An event whose time has come, or a tick, and what the table says of its key as of its time.
     *
     * @param profile null if it says nothing
     */
    record LookedUp(Item item, Profile profile) implements Finding {}

    /** The table has changed at the time of this record, and says more of its key than before. */
    record Updated() implements Finding {}
}
