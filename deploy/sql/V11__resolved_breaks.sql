-- A break is marked as resolved by the recount that looks at it again, so that what is unresolved need not be sought among
-- all breaks that there ever were.

alter table reconciliation_breaks add column resolved_by uuid references reconciliation_runs on delete set null;

comment on column reconciliation_breaks.resolved_by is 'The first later recount that has looked at its window again; null: none has';

update reconciliation_breaks as brk
set resolved_by = (
    select later.run_id
    from reconciliation_runs as run
    join reconciliation_runs as later
        on later.pipeline = run.pipeline and later.subject = run.subject and later.outcome <> 'unknown'
        and later.finished_at > run.finished_at
    where run.run_id = brk.run_id
      and (later.from_time is null or brk.window_start >= later.from_time or brk.window_start is null)
      and (later.to_time is null or brk.window_start < later.to_time or brk.window_start is null)
    order by later.finished_at
    limit 1);

create index reconciliation_breaks_unresolved on reconciliation_breaks (run_id, number) where resolved_by is null;

drop view unresolved_breaks;

create view unresolved_breaks as
select run.pipeline, run.subject, run.finished_at as found_at, brk.*
from reconciliation_breaks as brk
join reconciliation_runs as run using (run_id)
where brk.resolved_by is null;

comment on view unresolved_breaks is 'Breaks that no later recount has looked at again';
