-- What came after a moment is passed over here to answer "as of" then; rows of one start and transaction are one entry.
create index totals_recorded on totals (pipeline, window_start desc, recorded_at);

-- What is not matched, with all that tells whether a match has made it obsolete.
drop index pairs_unmatched;
create index pairs_unmatched on pairs (pipeline, event_time) include (key, left_id, right_id, status)
    where status <> 'matched';

drop index pairs_by_right_event;
create index pairs_by_right_event on pairs (pipeline, right_id, key, left_id);

-- Matches by their ids, which say as much as the status: so the keys of indexes answer alone.
create or replace view pairs_current as
select pipeline, key, left_id, right_id, version, status, reason, left_time, right_time, distance_millis,
       readable_event(left_event)  as left_event,
       readable_event(right_event) as right_event,
       closed_by, stream_time, cause_event_id, settings, event_time, recorded_at
from pairs
where status = 'matched'
   or status = 'left-unmatched' and not exists (
          select
          from pairs match
          where (match.pipeline, match.key, match.left_id) = (pairs.pipeline, pairs.key, pairs.left_id)
            and match.right_id > '')
   or status = 'right-unmatched' and not exists (
          select
          from pairs match
          where (match.pipeline, match.key, match.right_id) = (pairs.pipeline, pairs.key, pairs.right_id)
            and match.left_id > '');

-- The table serves every app; what it says of one has to be true of the others.
comment on column ledger.counted is 'Events that are part of the first final of all their windows; of other apps: records that came in time';
comment on column ledger.late is 'Events that corrected all of their windows; of pairs and of enriched events: records that came when others, or themselves, were not waited for any longer; of profiles: events further behind than the grace, which are part of the row all the same';
