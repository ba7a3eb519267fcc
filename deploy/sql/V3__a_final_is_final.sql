-- The sink delivers at least once and may be set back to any offset. These triggers decide what a row that is
-- already there may become, so that neither a replay nor a faulty program can change what was published.
-- Example: (S001, 10:00, version 1) says 350. A replay writes 350: nothing happens, not even a new row version.
-- Another program writes 430: the row stays 350 and the attempt is a row in refused_changes.

create table refused_changes (
    table_name  text        not null,
    key         jsonb       not null,
    old_row     jsonb       not null,
    new_row     jsonb       not null,
    recorded_at timestamptz not null default now()
);

-- Hashed, because whole rows are too large for an index entry. The same attempt is recorded once.
create unique index refused_changes_once
    on refused_changes (table_name, md5(key::text), md5(old_row::text), md5(new_row::text));

comment on table refused_changes is 'Attempts to change a published row; each wants an explanation';
comment on column refused_changes.table_name is 'Table of the row';
comment on column refused_changes.key is 'Primary key of the row';
comment on column refused_changes.old_row is 'The row, which stayed as it was';
comment on column refused_changes.new_row is 'What was to take its place';
comment on column refused_changes.recorded_at is 'When it was tried first';

create function refuse_change(table_name text, key_columns text[], old_row jsonb, new_row jsonb) returns void
    language sql
as $$
    insert into refused_changes (table_name, key, old_row, new_row)
    select table_name, jsonb_object_agg(name, old_row -> name), old_row, new_row
    from unnest(key_columns) as name
    on conflict do nothing
$$;

-- Rows are compared as text on purpose: 350.0 and 350.00 are equal numbers but not the same content.
create function protect_totals() returns trigger
    language plpgsql
as $$
begin
    new.recorded_at := old.recorded_at;
    if new::text = old::text then
        return null;
    end if;
    if old.version = 0 and new.version = 0
       and (new.pipeline, new.key, new.window_start) = (old.pipeline, old.key, old.window_start) then
        -- A provisional total only grows; an older one comes from a replay.
        if new.count < old.count then
            return null;
        end if;
        new.recorded_at := now();
        return new;
    end if;
    perform refuse_change(tg_table_name, array['pipeline', 'key', 'window_start', 'version'],
                          to_jsonb(old) - 'recorded_at', to_jsonb(new) - 'recorded_at');
    return null;
end
$$;

create trigger protect_totals before update on totals
    for each row execute function protect_totals();

create function protect_exceptions() returns trigger
    language plpgsql
as $$
begin
    new.recorded_at := old.recorded_at;
    if new::text <> old::text then
        perform refuse_change(tg_table_name, array['pipeline', 'source_topic', 'source_partition', 'source_offset'],
                              to_jsonb(old) - 'recorded_at', to_jsonb(new) - 'recorded_at');
    end if;
    return null;
end
$$;

create trigger protect_exceptions before update on exceptions
    for each row execute function protect_exceptions();

-- Received and the dispositions only ever grow, so the row with the greater sum is the newer one. While a replay
-- passes older rows, the newest stays visible. held is left out: it falls when events leave the alignment buffer.
create function ledger_progress(entry ledger) returns numeric
    language sql immutable
as $$
    select entry.received::numeric + entry.counted + entry.partly_late + entry.late + entry.too_late + entry.duplicate
        + entry.conflicting + entry.future + entry.malformed + entry.out_of_range
$$;

create function protect_ledger() returns trigger
    language plpgsql
as $$
begin
    new.recorded_at := old.recorded_at;
    if new::text = old::text or ledger_progress(new) < ledger_progress(old) then
        return null;
    end if;
    new.recorded_at := now();
    return new;
end
$$;

create trigger protect_ledger before update on ledger
    for each row execute function protect_ledger();
