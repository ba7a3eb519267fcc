package dev.tidemark.common;

/** What flows from the reader to the operators: events, what became of them, and signals about time. */
public sealed interface Item permits Event, Outcome, EndOfInput, Progress, Tick, LateEvent {}
