-- Events with what a table said of their key at their time.

create table enriched (
    pipeline         text        not null,
    key              text        not null,
    event_id         text        not null,
    version          integer     not null,
    status           text        not null,
    reason           text,
    event_time       timestamptz not null,
    event            json        not null,
    profile          json,
    profile_time     timestamptz,
    source_topic     text        not null,
    source_partition integer     not null,
    source_offset    bigint      not null,
    table_topic      text        not null,
    table_partition  integer,
    table_offset     bigint,
    settings         text        not null,
    recorded_at      timestamptz not null default now(),
    primary key (pipeline, key, event_id, version),
    constraint enriched_status_fits_profile check (
        (status = 'enriched' and version = 1 and profile is not null)
        or (status = 'enriched' and version = 2 and profile is not null and reason is not null)
        or (status = 'missing' and version = 1 and profile is null and reason is not null))
);

-- The primary key serves a key and an event of it; these serve all keys of a time range, an event whose key is not known,
-- and the events without a profile.
create index enriched_by_time on enriched (pipeline, event_time);
create index enriched_by_event on enriched (pipeline, event_id);
create index enriched_missing on enriched (pipeline, event_time) where status = 'missing';

comment on table enriched is 'Every event that was published with its profile, or without one; nothing published is ever changed';
comment on column enriched.pipeline is 'Name of the pipeline that published it';
comment on column enriched.key is 'What was looked up, for example a customer';
comment on column enriched.event_id is 'Id of the event, unique under its key';
comment on column enriched.version is '1 when updates of the table were not waited for any longer; 2 if the profile came after that';
comment on column enriched.status is 'enriched, or missing: the table said nothing of the key at that time';
comment on column enriched.reason is 'Why it is missing or has a version 2, in words';
comment on column enriched.event_time is 'When the event happened';
comment on column enriched.event is 'The event as it came, character by character';
comment on column enriched.profile is 'The fields that were taken from the table, as it was at event_time';
comment on column enriched.profile_time is 'From when on the table said so; empty if nothing tells it';
comment on column enriched.source_topic is 'Topic of the event';
comment on column enriched.source_partition is 'Partition in which the event lies';
comment on column enriched.source_offset is 'Offset at which the event lies';
comment on column enriched.table_topic is 'Topic of the table';
comment on column enriched.table_partition is 'Partition in which the record with the profile lies; empty if there is none, or if the table is broadcast';
comment on column enriched.table_offset is 'Offset at which the record with the profile lies; may be gone when the topic was compacted';
comment on column enriched.settings is 'Fingerprint of the settings that give the rows their meaning';
comment on column enriched.recorded_at is 'When this row was written here';

create view enriched_current as
select pipeline, key, event_id, version, status, reason, event_time,
       readable_event(event)   as event,
       readable_event(profile) as profile,
       profile_time, source_topic, source_partition, source_offset, table_topic, table_partition, table_offset,
       settings, recorded_at
from enriched
where not exists (
    select
    from enriched later
    where (later.pipeline, later.key, later.event_id) = (enriched.pipeline, enriched.key, enriched.event_id)
      and later.version > enriched.version);

comment on view enriched_current is 'The highest version of every event';

create function protect_enriched() returns trigger
    language plpgsql
as $$
begin
    new.recorded_at := old.recorded_at;
    if new::text <> old::text then
        old.event := readable_event(old.event);
        old.profile := readable_event(old.profile);
        new.event := readable_event(new.event);
        new.profile := readable_event(new.profile);
        perform refuse_change(tg_table_name, array['pipeline', 'key', 'event_id', 'version'],
                              to_jsonb(old) - 'recorded_at', to_jsonb(new) - 'recorded_at');
    end if;
    return null;
end
$$;

create trigger protect_enriched before update on enriched
    for each row execute function protect_enriched();

-- These tables serve every app; what they say of one has to be true of the others.
comment on column exceptions.version is 'Version of that window that it is part of; of pairs: version of the rows that it led to, which name it as left_id or right_id; of enriched events: version of its row';
comment on column exceptions.event_id is 'Id of the event, if it could be read; of a record of a table: its key';
comment on column ledger.counted is 'Events that are part of the first final of all their windows; of pairs and of enriched events: records that came in time';
comment on column ledger.late is 'Events that corrected all of their windows; of pairs and of enriched events: records that came when others, or themselves, were not waited for any longer';
