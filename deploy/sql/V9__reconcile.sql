-- What recounts of the input found. The reconcile app writes these rows by itself; they come from no topic.

create table reconciliation_runs (
    run_id           uuid        not null primary key,
    pipeline         text        not null,
    subject          text        not null,
    from_time        timestamptz,
    to_time          timestamptz,
    started_at       timestamptz not null,
    finished_at      timestamptz not null default now(),
    outcome          text        not null,
    reason           text,
    compared         bigint      not null default 0,
    equal            bigint      not null default 0,
    explained        bigint      not null default 0,
    different        bigint      not null default 0,
    missing          bigint      not null default 0,
    unexpected       bigint      not null default 0,
    undecided        bigint      not null default 0,
    records          bigint      not null default 0,
    duplicate        bigint      not null default 0,
    conflicting      bigint      not null default 0,
    refused          bigint      not null default 0,
    ledger_received  bigint,
    ledger_accounted bigint,
    settings         text,
    constraint reconciliation_runs_subject check (subject in ('totals', 'pairs')),
    constraint reconciliation_runs_outcome check (
        outcome in ('equal', 'different') and reason is null or outcome = 'unknown' and reason is not null),
    constraint reconciliation_runs_add_up check (
        compared = equal + explained + different + missing + unexpected)
);

create index reconciliation_runs_by_pipeline on reconciliation_runs (pipeline, finished_at desc);

comment on table reconciliation_runs is 'Every recount of a pipeline, with what it found';
comment on column reconciliation_runs.run_id is 'Identifies the recount';
comment on column reconciliation_runs.pipeline is 'Name of the pipeline that was recounted';
comment on column reconciliation_runs.subject is 'totals or pairs';
comment on column reconciliation_runs.from_time is 'Windows that start before it were left out; null: none';
comment on column reconciliation_runs.to_time is 'Windows that start at or after it were left out; null: none';
comment on column reconciliation_runs.started_at is 'When the recount began';
comment on column reconciliation_runs.finished_at is 'When it ended';
comment on column reconciliation_runs.outcome is 'equal; different: see reconciliation_breaks; unknown: it could not tell';
comment on column reconciliation_runs.reason is 'Why it could not tell';
comment on column reconciliation_runs.compared is 'Windows, or pairs, that were compared: the sum of the five columns that follow';
comment on column reconciliation_runs.equal is 'Published as recounted';
comment on column reconciliation_runs.explained is 'They differ by events that the pipeline has published as too late, or that wait to become a version';
comment on column reconciliation_runs.different is 'Published otherwise than recounted, or with a version missing';
comment on column reconciliation_runs.missing is 'Recounted, but not published';
comment on column reconciliation_runs.unexpected is 'Published, but the input has no event for it';
comment on column reconciliation_runs.undecided is 'Windows that are open, and pairs that may still change: not compared';
comment on column reconciliation_runs.records is 'Input records that were read';
comment on column reconciliation_runs.duplicate is 'Of them: events that were there before';
comment on column reconciliation_runs.conflicting is 'Of them: events whose id was there before with other content';
comment on column reconciliation_runs.refused is 'Of them: malformed, future and out-of-range ones';
comment on column reconciliation_runs.ledger_received is 'Records that the pipeline has received by its ledger';
comment on column reconciliation_runs.ledger_accounted is 'Records that the ledger has a disposition for';
comment on column reconciliation_runs.settings is 'Fingerprint of the settings that were recounted with';

create table reconciliation_breaks (
    run_id            uuid    not null references reconciliation_runs on delete cascade,
    number            integer not null,
    kind              text    not null,
    key               text,
    window_start      timestamptz,
    left_id           text,
    right_id          text,
    published_version integer,
    published_total   numeric,
    published_count   bigint,
    recounted_total   numeric,
    recounted_count   bigint,
    explanation       text,
    event_ids         jsonb   not null default '[]',
    correction        text,
    primary key (run_id, number),
    constraint reconciliation_breaks_kind check (
        kind in ('different', 'missing', 'unexpected', 'version-missing', 'ledger'))
);

comment on table reconciliation_breaks is 'What a recount found to differ, at most 10,000 of each recount';
comment on column reconciliation_breaks.run_id is 'The recount';
comment on column reconciliation_breaks.number is 'Counts the breaks of a recount from 1';
comment on column reconciliation_breaks.kind is 'different, missing, unexpected, version-missing (the numbers may agree), or ledger (it does not balance, or does not know all records)';
comment on column reconciliation_breaks.key is 'Key of the window or pair';
comment on column reconciliation_breaks.window_start is 'Start of the window; of a pair, the time of its left event, or of the right one if there is no left one';
comment on column reconciliation_breaks.left_id is 'Left event of a pair, empty if there is none; null for totals';
comment on column reconciliation_breaks.right_id is 'Right event of a pair, empty if there is none; null for totals';
comment on column reconciliation_breaks.published_version is 'Highest version that is published; null if none is';
comment on column reconciliation_breaks.published_total is 'Its total';
comment on column reconciliation_breaks.published_count is 'Its number of events';
comment on column reconciliation_breaks.recounted_total is 'Total by the input; null if it has no event for the window';
comment on column reconciliation_breaks.recounted_count is 'Number of events by the input';
comment on column reconciliation_breaks.explanation is 'What the recount can say about the difference; of the first ten of a recount';
comment on column reconciliation_breaks.event_ids is 'Events that explain the difference, as an array';
comment on column reconciliation_breaks.correction is 'requested: the app was told to publish the recounted total; null if not';

-- Example: a recount of July finds a break on 3 July, a later one of 3 July alone finds none: the break is resolved.
create view unresolved_breaks as
select run.pipeline, run.subject, run.finished_at as found_at, brk.*
from reconciliation_breaks as brk
join reconciliation_runs as run using (run_id)
where not exists (
    select
    from reconciliation_runs as later
    where later.pipeline = run.pipeline
      and later.subject = run.subject
      and later.outcome <> 'unknown'
      and later.finished_at > run.finished_at
      and (later.from_time is null or brk.window_start >= later.from_time or brk.window_start is null)
      and (later.to_time is null or brk.window_start < later.to_time or brk.window_start is null));

comment on view unresolved_breaks is 'Breaks that no later recount has looked at again';
