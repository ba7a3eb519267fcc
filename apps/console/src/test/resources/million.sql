-- A million rows of totals and of pairs each, and what belongs to them.
insert into totals (pipeline, key, window_start, window_end, version, status, total, count, stream_time, settings, zone, recorded_at)
select 'big', 'K' || to_char(key, 'FM000'), start, start + interval '10 min', version,
    case version when 0 then 'provisional' else 'final' end, key * 1.25, 7, start, '1', 'UTC', start + interval '20 min' * version
from generate_series(0, 2499) as number
cross join lateral (select timestamptz '2026-06-01 00:00Z' + interval '10 min' * number as start) as starts
cross join generate_series(0, 199) as key cross join generate_series(0, 1) as version;
insert into totals (pipeline, key, window_start, window_end, version, status, total, count, previous_total, delta, reason,
    cause_event_id, stream_time, settings, zone, recorded_at)
select pipeline, key, window_start, window_end, 2, 'corrected', total + 1, count + 1, total, 1, 'late', 'e' || key || window_start,
    stream_time, settings, zone, recorded_at + interval '1 h'
from totals where version = 1 and abs(hashtext(key || window_start)::bigint) % 50 = 0;
insert into exceptions (pipeline, source_topic, source_partition, source_offset, event_id, key, event_time, arrival_time, amount,
    disposition, reason, window_start, version)
select 'big', 'big', 0, row_number() over (), cause_event_id, key, window_start, stream_time, 1, 'late', 'late', window_start, 2
from totals where version = 2;
insert into exceptions (pipeline, source_topic, source_partition, source_offset, event_id, key, event_time, arrival_time, amount,
    disposition, reason)
select 'big', 'big', 1, number, 'd' || number, 'K001', '2026-06-01Z', '2026-06-01Z', 1, 'duplicate', 'again'
from generate_series(1, 300000) as number;
insert into ledger select 'big', 'big', number, 10, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0,
    timestamptz '2026-06-19Z', now() from generate_series(0, 15) as number;
insert into lateness (pipeline, day, partition, from_seconds, events, amount, absolute_amount, arrivals)
select 'big', day, number, bin, 5, 10, 10, 5 from generate_series(date '2025-07-01', date '2026-06-30', interval '1 day') as day
cross join generate_series(0, 3) as number cross join generate_series(-1, 299) as bin;
insert into pairs (pipeline, key, left_id, right_id, version, status, reason, left_time, right_time, distance_millis, settings)
select 'big', 'O' || number, 'O' || number, case when number % 20 = 0 then '' else 'P' || number end, 1,
    case when number % 20 = 0 then 'left-unmatched' else 'matched' end, case when number % 20 = 0 then 'none came' end,
    timestamptz '2026-06-01 00:00Z' + interval '1.5 s' * number,
    case when number % 20 > 0 then timestamptz '2026-06-01 00:00Z' + interval '1.5 s' * number end,
    case when number % 20 > 0 then 0 end, '1'
from generate_series(1, 1000000) as number;
insert into pairs (pipeline, key, left_id, right_id, version, status, reason, left_time, right_time, distance_millis, settings)
select pipeline, key, left_id, 'late' || left_id, 2, 'matched', 'late', left_time, left_time + interval '40 min', 2400000, '1'
from pairs where status = 'left-unmatched' and abs(hashtext(left_id)::bigint) % 5 = 0;
insert into pairs (pipeline, key, left_id, right_id, version, status, reason, right_time, settings)
select 'big', 'O' || number * 50, '', 'R' || number * 50, 1, 'right-unmatched', 'none was there',
    timestamptz '2026-06-01 00:00Z' + interval '75 s' * number, '1'
from generate_series(1, 20000) as number;
insert into pairs (pipeline, key, left_id, right_id, version, status, reason, left_time, right_time, distance_millis, settings)
select pipeline, key, 'late' || right_id, right_id, 2, 'matched', 'late', right_time - interval '40 min', right_time, 2400000, '1'
from pairs where status = 'right-unmatched' and abs(hashtext(right_id)::bigint) % 5 = 0;
vacuum analyze;
