-- What several late events led to together, and the zone of every row. Rows that were published before have none of it,
-- and a replay of their records brings none, so the columns stay null there.

alter table totals
    add column cause_count     bigint,
    add column cause_event_ids jsonb,
    add column zone            text;

comment on column totals.cause_count is 'Number of events that caused a correction; null if none, or published by an older version';
comment on column totals.cause_event_ids is 'Ids of the first of them, at most ten, as an array';
comment on column totals.cause_event_id is 'The event that caused a correction, the first one if there were several';
comment on column totals.delta is 'total minus previous_total: the sum of the amounts that caused a correction';
comment on column totals.zone is 'Zone that starts and ends of windows follow, UTC for windows of a size; null if published by an older version';
comment on column exceptions.window_start is 'Start of the window that it corrected, of the first one if there were several';
comment on column exceptions.version is 'Version of that window that it is part of';

-- A view keeps the columns of the moment when it was made. The function returns rows of the table as it is.
create or replace view totals_current as
select distinct on (pipeline, key, window_start) *
from totals
order by pipeline, key, window_start, version desc;
