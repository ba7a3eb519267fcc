-- A profile, and a recount with a break.

insert into profiles (pipeline, key, revision, count, amount, minimum, maximum, average, first_time, first_event_id,
    last_time, last_event_id, visits_today, spend_this_week, zone, settings) values
('sales', 'G7', 3, 12, 9007199254740993.10, 2.20, 33.80, 17.301234, '2026-07-01 09:00Z', 'A-1', '2026-07-02 17:00Z',
    'A-12', 0, 17.30, 'Europe/Berlin', '7f3a9c21');

insert into reconciliation_runs (run_id, pipeline, subject, started_at, finished_at, outcome, compared, equal, different)
values ('00000000-0000-0000-0000-000000000001', 'refunds', 'totals', now(), now(), 'different', 3, 2, 1);
insert into reconciliation_breaks (run_id, number, kind, key, window_start, published_version, published_total,
    published_count, recounted_total, recounted_count, explanation) values
('00000000-0000-0000-0000-000000000001', 1, 'different', 'S001', '2026-07-01 00:00Z', 1, -5.00, 1, -7.50, 2,
    'the event e6 was read after the window was closed, and no correction of it was published');
