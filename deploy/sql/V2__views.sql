-- What people read.

create view totals_current as
select distinct on (pipeline, key, window_start) *
from totals
order by pipeline, key, window_start, version desc;

comment on view totals_current is 'The highest version of every window';

-- Provisional rows are overwritten in place: one that was changed after that moment is not shown at all.
create function totals_as_of(moment timestamptz) returns setof totals
    language sql stable
    parallel safe
as $$
    select distinct on (pipeline, key, window_start) *
    from totals
    where recorded_at <= moment
    order by pipeline, key, window_start, version desc
$$;

comment on function totals_as_of(timestamptz) is 'What was believed at that moment: the highest version recorded until then';

create view ledger_balance as
select pipeline,
       source_topic,
       source_partition,
       received,
       accounted,
       received - accounted               as difference,
       received_amount,
       accounted_amount,
       received_amount - accounted_amount as difference_amount
from (
    select pipeline,
           source_topic,
           source_partition,
           received,
           counted + partly_late + late + too_late + duplicate + conflicting + future + malformed + out_of_range
               + held as accounted,
           received_amount,
           counted_amount + partly_late_amount + late_amount + too_late_amount + duplicate_amount
               + conflicting_amount + future_amount + held_amount as accounted_amount
    from ledger
) sides;

comment on view ledger_balance is 'Both sides of the promise that nothing disappears; every difference must be 0';
