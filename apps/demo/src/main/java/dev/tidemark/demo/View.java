package dev.tidemark.demo;

/** Shows results as they come; not thread-safe. */
interface View extends AutoCloseable {

    /** Shows how things are now. */
    void show() throws InterruptedException;

    @Override
    void close();
}
