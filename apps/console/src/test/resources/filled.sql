-- Two days of a small chain, with everything that the pages show. All times are fixed; nothing is random.

create function pg_temp.digest(text) returns bigint language sql immutable as $$ select abs(hashtext($1)::bigint) $$;

create temp table windows as
select store.key, start, 10 + pg_temp.digest(store.key || start) % 40 as events,
    ((12000 + pg_temp.digest(store.key || start || 'amount') % 41000)::numeric / 100)::numeric(12, 2) as amount,
    pg_temp.digest(start || store.key) % 25 = 0 as corrected, pg_temp.digest(start || store.key) % 175 = 0 as twice
from (select 'S' || to_char(number, 'FM000') as key from generate_series(1, 20) as number) as store
cross join generate_series(timestamptz '2026-07-01 00:00Z', timestamptz '2026-07-02 17:50Z', interval '10 min') as start;

insert into totals (pipeline, key, window_start, window_end, version, status, total, count, minimum, maximum,
    stream_time, settings, zone, recorded_at)
select 'sales', key, start, start + interval '10 min', 0, 'provisional', amount, events, 2.20, 33.80,
    start + interval '9 min', '7f3a9c21', 'UTC', now() - (timestamptz '2026-07-02 18:00Z' - start) / 60
from windows;

insert into totals (pipeline, key, window_start, window_end, version, status, total, count, minimum, maximum,
    stream_time, closed_by, settings, zone, recorded_at)
select 'sales', key, start, start + interval '10 min', 1, 'final', amount, events, 2.20, 33.80,
    start + interval '15 min', 'watermark', '7f3a9c21', 'UTC', now() - (timestamptz '2026-07-02 17:45Z' - start) / 60
from windows where start < timestamptz '2026-07-02 17:30Z';

insert into totals (pipeline, key, window_start, window_end, version, status, total, count, minimum, maximum,
    previous_total, delta, reason, cause_event_id, cause_count, cause_event_ids, stream_time, closed_by, settings, zone,
    recorded_at)
select 'sales', key, start, start + interval '10 min', version, 'corrected', amount + 12.50 * (version - 1),
    events + version - 1, 2.20, 33.80, amount + 12.50 * (version - 2), 12.50, 'late',
    key || '-late-' || extract(epoch from start)::bigint / 600 || '-' || version, 1,
    jsonb_build_array(key || '-late-' || extract(epoch from start)::bigint / 600 || '-' || version),
    start + interval '50 min' * version, 'watermark', '7f3a9c21', 'UTC',
    now() - (timestamptz '2026-07-02 17:44Z' - start) / 60 + interval '2 seconds' * version
from windows cross join generate_series(2, 3) as version
where start < timestamptz '2026-07-02 16:00Z' and corrected and (version = 2 or twice);

insert into exceptions (pipeline, source_topic, source_partition, source_offset, event_id, key, event_time, arrival_time,
    amount, disposition, reason, window_start, version, payload)
select 'sales', 'sales', pg_temp.digest(key)::int % 4, row_number() over (order by key, window_start, version),
    cause_event_id, key, window_start + interval '3 min', stream_time, 12.50, 'late',
    'came 40 min after the window was closed; it became version ' || version, window_start, version,
    '{"event_id":"' || cause_event_id || '","store_id":"' || key || '","amount":12.50}'
from totals where version >= 2;

insert into exceptions (pipeline, source_topic, source_partition, source_offset, event_id, key, event_time, arrival_time,
    amount, disposition, reason, payload) values
('sales', 'sales', 0, 900001, 'S001-dup-1', 'S001', '2026-07-02 10:00Z', '2026-07-02 10:20Z', 8.40, 'duplicate', 'the same event was accepted before', '{"event_id":"S001-dup-1"}'),
('sales', 'sales', 0, 900002, 'S001-dup-1', 'S001', '2026-07-02 10:00Z', '2026-07-02 10:21Z', 8.40, 'duplicate', 'the same event was accepted before', '{"event_id":"S001-dup-1"}'),
('sales', 'sales', 1, 900003, 'S004-old', 'S004', '2026-07-01 09:00Z', '2026-07-02 10:20Z', -6.10, 'too-late', 'its window has been closed for longer than correct-until', '{"event_id":"S004-old"}'),
('sales', 'sales', 2, 900004, 'S007-2035', 'S007', '2035-07-02 09:00Z', '2026-07-02 10:20Z', 3.20, 'future', 'its time is 3287 days after its arrival', '{"event_id":"S007-2035"}'),
('sales', 'sales', 2, 900005, null, null, null, '2026-07-02 10:22Z', null, 'malformed', 'not JSON: unexpected end', '{"event_id":"S0'),
('sales', 'sales', 3, 900006, '"><img src=x onerror=alert(1)>', '<script>alert(2)</script>', '2026-07-02 10:00Z', '2026-07-02 10:21Z', 1.00, 'conflicting', '<b>other content</b> & "quotes"', '</pre><script>alert(3)</script>');

insert into totals (pipeline, key, window_start, window_end, version, status, total, count, settings, zone) values
('odd', '<script>alert(2)</script> & "Ω" 日本', '2026-07-02 17:50Z', '2026-07-02 18:00Z', 0, 'provisional', 12345678901234567890.12, 9007199254740993, '7f3a9c21', 'UTC'),
('refunds', 'S001', '2026-07-01 00:00Z', '2026-07-02 00:00Z', 1, 'final', -5.00, 1, 'aa', 'Europe/Berlin'),
('refunds', 'S002', '2026-07-01 00:00Z', '2026-07-02 00:00Z', 1, 'final', 0.00, 2, 'aa', 'Europe/Berlin');

insert into ledger (pipeline, source_topic, source_partition, received, counted, partly_late, late, too_late, duplicate,
    conflicting, future, malformed, out_of_range, held, received_amount, counted_amount, partly_late_amount, late_amount,
    too_late_amount, duplicate_amount, conflicting_amount, future_amount, held_amount, stream_time)
select 'sales', 'sales', number, 31000 + 100 * number + 7, 30000 + 100 * number, 0, 900, 12, 80, 2, 3, 10, 0, 0,
    410010.07 + number, 400000.02 + number, 0, 9000.00, 101.00, 880.40, 8.65, 20.00, 0,
    timestamptz '2026-07-02 17:58:31Z' - interval '1 min' * number
from generate_series(0, 3) as number;
insert into ledger (pipeline, source_topic, source_partition, received, counted, partly_late, late, too_late, duplicate,
    conflicting, future, malformed, out_of_range, held, received_amount, counted_amount, partly_late_amount, late_amount,
    too_late_amount, duplicate_amount, conflicting_amount, future_amount, held_amount, stream_time, recorded_at) values
('order-payments', 'orders', 0, 3000, 2900, 0, 40, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '2026-07-02 17:59Z', now() - interval '2 hours'),
('refunds', 'refunds', 0, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7.50, 5.00, 0, 0, 0, 0, 0, 0, 0, '2026-07-01 12:00Z', now());

insert into lateness (pipeline, day, partition, from_seconds, events, amount, absolute_amount, arrivals)
select 'sales', day, number, bin, 120000 / (bin + 2) / (bin + 2) + 1 + (bin between 540 and 700)::int * 9,
    (120000 / (bin + 2) / (bin + 2) + 1 + (bin between 540 and 700)::int * 9) * 11.35,
    (120000 / (bin + 2) / (bin + 2) + 1 + (bin between 540 and 700)::int * 9) * 11.45,
    120000 / (bin + 2) / (bin + 2) + 1
from generate_series(date '2026-07-01', date '2026-07-02', interval '1 day') as day
cross join generate_series(0, 3) as number
cross join (select -1 as bin union all select generate_series(0, 900) union all select generate_series(3600, 7200, 60)) as bins;

insert into pairs (pipeline, key, left_id, right_id, version, status, reason, left_time, right_time, distance_millis,
    left_event, right_event, closed_by, stream_time, settings)
select 'order-payments', 'O' || number, case when alone = 2 then '' else 'O' || number end,
    case when alone = 1 then '' else 'P' || number end, 1,
    case alone when 1 then 'left-unmatched' when 2 then 'right-unmatched' else 'matched' end,
    case alone when 1 then 'no payment within 10 min' when 2 then 'no order before it' end,
    case when alone = 2 then null else time end, case when alone = 1 then null else time + interval '40 s' end,
    case when alone = 0 then 40000 end,
    case when alone = 2 then null else '{"order":1}'::json end, case when alone = 1 then null else '{"payment":1}'::json end,
    case when alone = 0 then null else 'watermark' end, time, '1'
from (select number, timestamptz '2026-07-02 09:00Z' + interval '11 s' * number as time,
        case when number % 19 = 0 then 1 when number % 47 = 0 then 2 else 0 end as alone
      from generate_series(1, 2940) as number) as orders;
insert into pairs (pipeline, key, left_id, right_id, version, status, reason, left_time, right_time, distance_millis,
    left_event, right_event, stream_time, cause_event_id, settings) values
('order-payments', 'O19', 'O19', 'P19', 2, 'matched', 'the payment came late', '2026-07-02 09:03:29Z', '2026-07-02 09:04Z', 31000, '{}', '{}', '2026-07-02 12:00Z', 'P19', '1'),
('order-payments', 'O2926', 'O2926', 'P2926', 2, 'matched', 'the payment came late', '2026-07-02 17:56:26Z', '2026-07-02 17:57Z', 34000, '{}', '{}', '2026-07-02 19:00Z', 'P2926', '1'),
('order-payments', 'O2914', 'O2914', 'P2914', 2, 'matched', 'the order came late', '2026-07-02 17:54:14Z', '2026-07-02 17:54:54Z', 40000, '{}', '{}', '2026-07-02 19:00Z', 'O2914', '1');

insert into refused_changes (table_name, key, old_row, new_row)
select 'totals', jsonb_build_object('pipeline', 'refunds', 'key', 'S001', 'version', 1), '{"total": -5.00}', '{"total": 430.00}';
