package dev.tidemark.demo;

/** Where the events of the demo come from. */
interface Feed {

    /** Sends events until there are no more, or until the thread is interrupted. */
    void run(EventSender sender) throws InterruptedException;

    /** How far it is, in one line. */
    String progress();
}
