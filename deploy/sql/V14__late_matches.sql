-- The matches of events that had been published without a partner, which are few: to count the latter without looking for
-- each of them. A match bears the time of its left event, and so does the row of that event alone.
create index pairs_late on pairs (pipeline, event_time) include (key, left_id) where version > 1;
create index pairs_late_by_right on pairs (pipeline, right_time) include (key, right_id) where version > 1;
