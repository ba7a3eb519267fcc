-- What the console asks for, so that its pages do not depend on how many rows there are.

-- The newest windows of all keys, each with its highest version first. It serves all that the index before it did.
create index totals_newest_first on totals (pipeline, window_start desc, key, version desc);
drop index totals_by_window;

-- Few rows, which are never changed: the corrections of a day, and the late events behind a window's corrections.
create index totals_corrections on totals (pipeline, window_start) where version >= 2;
create index exceptions_by_window on exceptions (pipeline, key, window_start) where window_start is not null;
create index exceptions_too_late on exceptions (pipeline, event_time) where disposition = 'too-late';

-- What is not matched, which a match may have made obsolete.
create index pairs_unmatched on pairs (pipeline, event_time) where status <> 'matched';

-- Refused changes are few, unless a faulty program makes them many.
create index refused_changes_by_pipeline on refused_changes ((key ->> 'pipeline'), recorded_at desc);
