package dev.tidemark.reconcile;

/** Is told how far a recount has come. Safe for use by many threads. */
interface Progress {

    /** Something begins that takes time. */
    void begin(String what, long steps);

    /** So many more steps are done. */
    void advance(long steps);

    /** Whatever began is over. */
    void end();

    /** Tells nobody. */
    Progress NONE = new Progress() {
        @Override
        public void begin(String what, long steps) {}

        @Override
        public void advance(long steps) {}

        @Override
        public void end() {}
    };
}
