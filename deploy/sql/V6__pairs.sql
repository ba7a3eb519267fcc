-- Events of two topics that belong together, and those that stayed alone.

create table pairs (
    pipeline        text        not null,
    key             text        not null,
    left_id         text        not null,
    right_id        text        not null,
    version         integer     not null,
    status          text        not null,
    reason          text,
    left_time       timestamptz,
    right_time      timestamptz,
    distance_millis bigint,
    left_event      json,
    right_event     json,
    closed_by       text,
    stream_time     timestamptz,
    cause_event_id  text,
    settings        text        not null,
    event_time      timestamptz generated always as (coalesce(left_time, right_time)) stored,
    recorded_at     timestamptz not null default now(),
    primary key (pipeline, key, left_id, right_id),
    constraint pairs_status_fits_events check (
        (status = 'matched' and version >= 1 and left_id <> '' and right_id <> '')
        or (status = 'left-unmatched' and version = 1 and left_id <> '' and right_id = '')
        or (status = 'right-unmatched' and version = 1 and left_id = '' and right_id <> ''))
);

-- The primary key serves a key and the pairs of a left event of it. These serve all keys of a time range, and an event
-- whose key is not known; the last one also tells whether the right event of a key has been matched.
create index pairs_by_time on pairs (pipeline, event_time);
create index pairs_by_left_event on pairs (pipeline, left_id);
create index pairs_by_right_event on pairs (pipeline, right_id, key);

comment on table pairs is 'Every pair of events that was published, and every event that was published without a partner; nothing published is ever changed';
comment on column pairs.pipeline is 'Name of the pipeline that published it';
comment on column pairs.key is 'What both events have in common, for example an order';
comment on column pairs.left_id is 'Id of the left event, empty if there is none';
comment on column pairs.right_id is 'Id of the right event, empty if there is none';
comment on column pairs.version is '1 as first published; 2 a match although one of the events had been published as unmatched';
comment on column pairs.status is 'matched, left-unmatched (there is no right event) or right-unmatched (there is no left event)';
comment on column pairs.reason is 'Why it is unmatched or has a version 2, in words';
comment on column pairs.left_time is 'When the left event happened';
comment on column pairs.right_time is 'When the right event happened';
comment on column pairs.distance_millis is 'right_time minus left_time, negative if the right event happened first';
comment on column pairs.left_event is 'The left event as it came, character by character';
comment on column pairs.right_event is 'The right event as it came, character by character';
comment on column pairs.closed_by is 'What ended the wait for a partner: watermark, idle or end-of-input';
comment on column pairs.stream_time is 'Greatest event time seen when this row was made';
comment on column pairs.cause_event_id is 'The late event that caused a version 2';
comment on column pairs.settings is 'Fingerprint of the settings that give the rows their meaning';
comment on column pairs.event_time is 'left_time, or right_time if there is no left event';
comment on column pairs.recorded_at is 'When this row was written here';

-- json keeps what jsonb refuses: "\u0000", half of a surrogate pair, 1e999999. In json one such event would make a query
-- over all of them fail, so people are shown jsonb, and these few as one JSON string, which holds their text.
create function readable_event(event json) returns jsonb
    language plpgsql stable
    parallel safe
as $$
begin
    if pg_input_is_valid(event::text, 'jsonb') then
        return event::text::jsonb;
    end if;
    return to_jsonb(event::text);
end
$$;

comment on function readable_event(json) is 'The event as jsonb, or its text as a JSON string if jsonb cannot hold it';

-- A match wins over the unmatched rows of either of its events, whichever was written first. Example: order O1 was
-- published as left-unmatched, then its payment P1 came: only the row (O1, P1) is current.
create view pairs_current as
select pipeline, key, left_id, right_id, version, status, reason, left_time, right_time, distance_millis,
       readable_event(left_event)  as left_event,
       readable_event(right_event) as right_event,
       closed_by, stream_time, cause_event_id, settings, event_time, recorded_at
from pairs
where status = 'matched'
   or status = 'left-unmatched' and not exists (
          select
          from pairs match
          where match.status = 'matched'
            and (match.pipeline, match.key, match.left_id) = (pairs.pipeline, pairs.key, pairs.left_id))
   or status = 'right-unmatched' and not exists (
          select
          from pairs match
          where match.status = 'matched'
            and (match.pipeline, match.key, match.right_id) = (pairs.pipeline, pairs.key, pairs.right_id));

comment on view pairs_current is 'Matched pairs, and the events that have no partner in any of them';

create function protect_pairs() returns trigger
    language plpgsql
as $$
begin
    new.recorded_at := old.recorded_at;
    new.event_time := old.event_time; -- Here it has not been generated yet.
    if new::text <> old::text then
        old.left_event := readable_event(old.left_event);
        old.right_event := readable_event(old.right_event);
        new.left_event := readable_event(new.left_event);
        new.right_event := readable_event(new.right_event);
        perform refuse_change(tg_table_name, array['pipeline', 'key', 'left_id', 'right_id'],
                              to_jsonb(old) - 'recorded_at', to_jsonb(new) - 'recorded_at');
    end if;
    return null;
end
$$;

create trigger protect_pairs before update on pairs
    for each row execute function protect_pairs();

-- Both tables serve every app; what they say of one has to be true of the others.
comment on column exceptions.disposition is 'partly-late, late, too-late, duplicate, conflicting, future, malformed or out-of-range; counted if it only broke what was expected of pairs';
comment on column exceptions.version is 'Version of that window that it is part of; of pairs: version of the rows that it led to, which name it as left_id or right_id';
comment on column ledger.counted is 'Events that are part of the first final of all their windows; of pairs: events that came in time';
comment on column ledger.late is 'Events that corrected all of their windows; of pairs: events that came when others, or themselves, were not waited for any longer';
