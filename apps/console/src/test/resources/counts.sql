-- A pipeline whose events have no amounts: apps write 0 where one would be, without decimal places.

insert into totals (pipeline, key, window_start, window_end, version, status, total, count, minimum, maximum,
    previous_total, delta, reason, cause_event_id, cause_count, stream_time, closed_by, settings, zone) values
('visits', 'door', '2026-07-01 00:00Z', '2026-07-02 00:00Z', 1, 'final', 0, 40, 0, 0, null, null, null, null, null,
    '2026-07-02 00:05Z', 'watermark', '1', 'UTC'),
('visits', 'door', '2026-07-01 00:00Z', '2026-07-02 00:00Z', 2, 'corrected', 0, 41, 0, 0, 0, 0, 'late', 'V-9', 1,
    '2026-07-02 00:10Z', 'watermark', '1', 'UTC'),
('visits', 'door', '2026-07-02 00:00Z', '2026-07-03 00:00Z', 0, 'provisional', 0, 7, 0, 0, null, null, null, null, null,
    '2026-07-02 11:00Z', null, '1', 'UTC');
insert into exceptions (pipeline, source_topic, source_partition, source_offset, event_id, key, event_time, arrival_time,
    amount, disposition, reason, window_start, version, payload) values
('visits', 'visits', 0, 41, 'V-9', 'door', '2026-07-01 20:00Z', '2026-07-02 00:10Z', 0, 'late',
    'came 5 min after the window was closed; it became version 2', '2026-07-01 00:00Z', 2, '{"id":"V-9"}');
insert into ledger (pipeline, source_topic, source_partition, received, counted, partly_late, late, too_late, duplicate,
    conflicting, future, malformed, out_of_range, held, received_amount, counted_amount, partly_late_amount, late_amount,
    too_late_amount, duplicate_amount, conflicting_amount, future_amount, held_amount, stream_time) values
('visits', 'visits', 0, 49, 47, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '2026-07-02 11:00Z');
insert into lateness (pipeline, day, partition, from_seconds, events, amount, absolute_amount, arrivals) values
('visits', '2026-07-01', 0, -1, 40, 0, 0, 40), ('visits', '2026-07-01', 0, 300, 1, 0, 0, 1);
insert into profiles (pipeline, key, revision, count, amount, minimum, maximum, average, last_time, visits_today,
    spend_this_week, session_amount, zone, settings) values
('visits', 'guest', 3, 12, 0, 0, 0, 0.0000, '2026-07-02 17:00Z', 2, 0, 0, 'UTC', '1');
