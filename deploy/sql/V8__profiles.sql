-- One row per key, updated in place, and the sessions of the keys, version by version.

create table profiles (
    pipeline           text        not null,
    key                text        not null,
    revision           bigint      not null,
    count              bigint      not null,
    amount             numeric     not null,
    minimum            numeric,
    maximum            numeric,
    average            numeric,
    first_time         timestamptz,
    first_event_id     text,
    last_time          timestamptz,
    last_event_id      text,
    longest_gap_millis bigint,
    longest_gap_start  timestamptz,
    longest_gap_end    timestamptz,
    day_start          timestamptz,
    visits_today       bigint      not null,
    week_start         timestamptz,
    spend_this_week    numeric     not null,
    stream_time        timestamptz,
    session_start      timestamptz,
    session_end        timestamptz,
    session_until      timestamptz,
    session_count      bigint,
    session_amount     numeric,
    profile            jsonb,
    profile_time       timestamptz,
    profile_partition  integer,
    profile_offset     bigint,
    zone               text        not null,
    settings           text        not null,
    recorded_at        timestamptz not null default now(),
    primary key (pipeline, key),
    constraint profiles_counts_are_not_negative check (count >= 0 and visits_today >= 0 and session_count >= 0)
);

create index profiles_by_last_event on profiles (pipeline, last_time);

comment on table profiles is 'What is known of each key now; updated in place, and deleted when nothing is known';
comment on column profiles.pipeline is 'Name of the pipeline that published it';
comment on column profiles.key is 'What the events and the profile are about, for example a customer';
comment on column profiles.revision is 'Grows with every change; an older row never takes the place of a newer one';
comment on column profiles.count is 'Number of events';
comment on column profiles.amount is 'Exact sum of the amounts';
comment on column profiles.minimum is 'Smallest amount';
comment on column profiles.maximum is 'Largest amount';
comment on column profiles.average is 'amount divided by count, at four decimal places more than amounts have, half to even';
comment on column profiles.first_time is 'When the first event happened';
comment on column profiles.first_event_id is 'Id of the first event';
comment on column profiles.last_time is 'When the last event happened';
comment on column profiles.last_event_id is 'Id of the last event';
comment on column profiles.longest_gap_millis is 'Longest time between two sessions; null while there is one session';
comment on column profiles.longest_gap_start is 'Event time with which the longest gap begins';
comment on column profiles.longest_gap_end is 'Event time with which the longest gap ends';
comment on column profiles.day_start is 'Start of the day that visits_today is about';
comment on column profiles.visits_today is 'Visits since day_start; a day without visits is not written anew, its row says 0';
comment on column profiles.week_start is 'Start of the week that spend_this_week is about';
comment on column profiles.spend_this_week is 'Sum of the amounts since week_start';
comment on column profiles.stream_time is 'Event time that the clock had reached when the statistics were last changed';
comment on column profiles.session_start is 'Start of the latest session';
comment on column profiles.session_end is 'Time of its last event so far';
comment on column profiles.session_until is 'Until when another event would still belong to it';
comment on column profiles.session_count is 'Number of its events';
comment on column profiles.session_amount is 'Sum of their amounts';
comment on column profiles.profile is 'The taken fields of the profile; null if there is none';
comment on column profiles.profile_time is 'Time of the update that the profile is of';
comment on column profiles.profile_partition is 'Partition of that update in the profile table''s topic';
comment on column profiles.profile_offset is 'Its offset';
comment on column profiles.zone is 'Zone of the day and the week';
comment on column profiles.settings is 'Fingerprint of the settings that give the numbers their meaning';
comment on column profiles.recorded_at is 'When this row was written or last changed here';

create table sessions (
    pipeline        text        not null,
    key             text        not null,
    session_start   timestamptz not null,
    version         integer     not null,
    session_end     timestamptz not null,
    status          text        not null,
    count           bigint      not null,
    amount          numeric     not null,
    first_event_id  text        not null,
    last_event_id   text        not null,
    replaced_by     timestamptz,
    replaces        jsonb       not null,
    previous_amount numeric,
    delta           numeric,
    reason          text,
    cause_event_id  text,
    cause_event_ids jsonb,
    stream_time     timestamptz,
    closed_by       text,
    settings        text        not null,
    recorded_at     timestamptz not null default now(),
    primary key (pipeline, key, session_start, version),
    constraint sessions_end_after_their_start check (session_end >= session_start),
    constraint sessions_status_fits_version check (
        (status = 'final' and version = 1 and count > 0 and replaced_by is null)
        or (status = 'corrected' and version >= 2 and count > 0 and replaced_by is null)
        or (status = 'replaced' and version >= 2 and count = 0 and replaced_by is not null))
);

create index sessions_by_end on sessions (pipeline, session_end);

comment on table sessions is 'Every version of every finished session; nothing published is ever changed';
comment on column sessions.pipeline is 'Name of the pipeline that published it';
comment on column sessions.key is 'Whose session it is, for example a customer''s';
comment on column sessions.session_start is 'Time of the first event';
comment on column sessions.version is '1 final, 2 and more corrected or replaced';
comment on column sessions.session_end is 'Time of the last event; of a replaced session, as it was';
comment on column sessions.status is 'final, corrected, or replaced: it has become part of the session replaced_by';
comment on column sessions.count is 'Number of events, 0 if replaced';
comment on column sessions.amount is 'Exact sum of the amounts, 0 if replaced';
comment on column sessions.first_event_id is 'Id of the first event';
comment on column sessions.last_event_id is 'Id of the last event';
comment on column sessions.replaced_by is 'Start of the session of the same key that it has become part of';
comment on column sessions.replaces is 'Starts of other sessions that have become part of it with this version';
comment on column sessions.previous_amount is 'What the current rows said before of all that it replaces, 0 if nothing';
comment on column sessions.delta is 'amount minus previous_amount; of a replaced session, the negative of what it was';
comment on column sessions.reason is 'late: events came after a session had been finished';
comment on column sessions.cause_event_id is 'The first late event behind this version';
comment on column sessions.cause_event_ids is 'The late events behind it, at most ten';
comment on column sessions.stream_time is 'Event time that the clock had reached when this version was made';
comment on column sessions.closed_by is 'What finished the session: watermark, idle or end-of-input';
comment on column sessions.settings is 'Fingerprint of the settings that give the rows their meaning';
comment on column sessions.recorded_at is 'When this row was written here';

-- Example: sessions from 10:00 and from 10:40 are final; a late event at 10:20 makes them one. It is (10:00, version 2),
-- and (10:40, version 2) says that it was replaced: one row is current, and the sum over current rows is right.
create view sessions_current as
select *
from (select distinct on (pipeline, key, session_start) *
      from sessions
      order by pipeline, key, session_start, version desc) as latest
where status <> 'replaced';

comment on view sessions_current is 'The highest version of every finished session that is not part of another; an event is in one of them at most';

-- The revision only ever grows, so a row with a smaller one comes from a replay. Until a replay has come past the record
-- that deleted a key, it may show the key again.
create function protect_profiles() returns trigger
    language plpgsql
as $$
begin
    new.recorded_at := old.recorded_at;
    if new.revision < old.revision or new::text = old::text then
        return null;
    end if;
    if new.revision = old.revision then
        perform refuse_change(tg_table_name, array['pipeline', 'key'],
                              to_jsonb(old) - 'recorded_at', to_jsonb(new) - 'recorded_at');
        return null;
    end if;
    new.recorded_at := now();
    return new;
end
$$;

create trigger protect_profiles before update on profiles
    for each row execute function protect_profiles();

create function protect_sessions() returns trigger
    language plpgsql
as $$
begin
    new.recorded_at := old.recorded_at;
    if new::text <> old::text then
        perform refuse_change(tg_table_name, array['pipeline', 'key', 'session_start', 'version'],
                              to_jsonb(old) - 'recorded_at', to_jsonb(new) - 'recorded_at');
    end if;
    return null;
end
$$;

create trigger protect_sessions before update on sessions
    for each row execute function protect_sessions();

-- Both tables serve every app; what they say of one has to be true of the others.
comment on column exceptions.window_start is 'Start of the window, or of the session, that it corrected, if any';
