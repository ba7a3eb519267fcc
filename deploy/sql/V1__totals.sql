-- The tables that the sink connectors write, and what protects them. The values come from result topics;
-- recorded_at alone is added here, so that the records themselves are reproducible.

create table totals (
    pipeline       text        not null,
    key            text        not null,
    window_start   timestamptz not null,
    window_end     timestamptz not null,
    version        integer     not null,
    status         text        not null,
    total          numeric     not null,
    count          bigint      not null,
    minimum        numeric,
    maximum        numeric,
    previous_total numeric,
    delta          numeric,
    reason         text,
    cause_event_id text,
    stream_time    timestamptz,
    closed_by      text,
    settings       text        not null,
    recorded_at    timestamptz not null default now(),
    primary key (pipeline, key, window_start, version),
    constraint totals_window_has_length check (window_end > window_start),
    constraint totals_status_fits_version check (
        (version = 0 and status = 'provisional')
        or (version = 1 and status = 'final')
        or (version >= 2 and status = 'corrected'))
);

-- The primary key serves the windows of one key; this serves all keys of a time range.
create index totals_by_window on totals (pipeline, window_start, key, version desc);

comment on table totals is 'Every version of every windowed total; nothing published is ever changed';
comment on column totals.pipeline is 'Name of the pipeline that published it';
comment on column totals.key is 'What is totalled, for example a store';
comment on column totals.window_start is 'Start of the window of event time, inclusive';
comment on column totals.window_end is 'End of the window of event time, exclusive';
comment on column totals.version is '0 provisional, 1 final, 2 and more corrected';
comment on column totals.status is 'provisional, final or corrected; follows from the version';
comment on column totals.total is 'Exact sum of the amounts';
comment on column totals.count is 'Number of events in the total';
comment on column totals.minimum is 'Smallest amount';
comment on column totals.maximum is 'Largest amount';
comment on column totals.previous_total is 'Total of the version before, 0 if there was none';
comment on column totals.delta is 'total minus previous_total';
comment on column totals.reason is 'Why a correction was made';
comment on column totals.cause_event_id is 'The event that caused a correction';
comment on column totals.stream_time is 'Greatest event time seen when this version was made';
comment on column totals.closed_by is 'What closed the window: watermark, idle or end-of-input';
comment on column totals.settings is 'Fingerprint of the settings that give the numbers their meaning';
comment on column totals.recorded_at is 'When this row was written or last changed here';

create table exceptions (
    pipeline         text        not null,
    source_topic     text        not null,
    source_partition integer     not null,
    source_offset    bigint      not null,
    event_id         text,
    key              text,
    event_time       timestamptz,
    arrival_time     timestamptz,
    amount           numeric,
    disposition      text        not null,
    reason           text        not null,
    window_start     timestamptz,
    version          integer,
    payload          text,
    recorded_at      timestamptz not null default now(),
    primary key (pipeline, source_topic, source_partition, source_offset)
);

create index exceptions_by_event on exceptions (pipeline, event_id);
create index exceptions_by_arrival on exceptions (pipeline, arrival_time);

comment on table exceptions is 'Events that were not simply counted, one row per input record';
comment on column exceptions.pipeline is 'Name of the pipeline that read it';
comment on column exceptions.source_topic is 'Topic of the input record';
comment on column exceptions.source_partition is 'Partition of the input record';
comment on column exceptions.source_offset is 'Offset of the input record';
comment on column exceptions.event_id is 'Id of the event, if it could be read';
comment on column exceptions.key is 'Key of the event, if it could be read';
comment on column exceptions.event_time is 'When it happened, if it could be read';
comment on column exceptions.arrival_time is 'Timestamp of the input record';
comment on column exceptions.amount is 'Amount of the event, if it could be read';
comment on column exceptions.disposition is 'partly-late, late, too-late, duplicate, conflicting, future, malformed or out-of-range';
comment on column exceptions.reason is 'Why, in words';
comment on column exceptions.window_start is 'Start of the window that it corrected, if any';
comment on column exceptions.version is 'Version that it produced, if any';
comment on column exceptions.payload is 'Start of the value as text, at most 4 KiB';
comment on column exceptions.recorded_at is 'When this row was written here';

create table ledger (
    pipeline            text        not null,
    source_topic        text        not null,
    source_partition    integer     not null,
    received            bigint      not null,
    counted             bigint      not null,
    partly_late         bigint      not null,
    late                bigint      not null,
    too_late            bigint      not null,
    duplicate           bigint      not null,
    conflicting         bigint      not null,
    future              bigint      not null,
    malformed           bigint      not null,
    out_of_range        bigint      not null,
    held                bigint      not null,
    received_amount     numeric     not null,
    counted_amount      numeric     not null,
    partly_late_amount  numeric     not null,
    late_amount         numeric     not null,
    too_late_amount     numeric     not null,
    duplicate_amount    numeric     not null,
    conflicting_amount  numeric     not null,
    future_amount       numeric     not null,
    held_amount         numeric     not null,
    stream_time         timestamptz,
    recorded_at         timestamptz not null default now(),
    primary key (pipeline, source_topic, source_partition)
);

comment on table ledger is 'What became of the records of each source partition, as running counts and amounts';
comment on column ledger.pipeline is 'Name of the pipeline that read them';
comment on column ledger.source_topic is 'Input topic';
comment on column ledger.source_partition is 'Input partition';
comment on column ledger.received is 'Records read';
comment on column ledger.counted is 'Events that are part of the first final of all their windows';
comment on column ledger.partly_late is 'Events that were on time for some of their windows and corrected the others';
comment on column ledger.late is 'Events that corrected all of their windows';
comment on column ledger.too_late is 'Events beyond the correction horizon; they changed nothing';
comment on column ledger.duplicate is 'Events that had been accepted before';
comment on column ledger.conflicting is 'Events whose id had been accepted with other content';
comment on column ledger.future is 'Events too far beyond their arrival time';
comment on column ledger.malformed is 'Records that could not be read as an event; they have no amount';
comment on column ledger.out_of_range is 'Events whose amount would overflow a total; they have no amount here';
comment on column ledger.held is 'Events that wait for slower source partitions';
comment on column ledger.received_amount is 'Sum of the amounts of the events that could be read';
comment on column ledger.counted_amount is 'Sum of the amounts of counted events';
comment on column ledger.partly_late_amount is 'Sum of the amounts of partly late events';
comment on column ledger.late_amount is 'Sum of the amounts of late events';
comment on column ledger.too_late_amount is 'Sum of the amounts of too late events';
comment on column ledger.duplicate_amount is 'Sum of the amounts of duplicates';
comment on column ledger.conflicting_amount is 'Sum of the amounts of conflicting events';
comment on column ledger.future_amount is 'Sum of the amounts of future events';
comment on column ledger.held_amount is 'Sum of the amounts of held events';
comment on column ledger.stream_time is 'Greatest event time seen on the source partition';
comment on column ledger.recorded_at is 'When this row was written or last changed here';
