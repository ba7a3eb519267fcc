-- How late events are. The app only counts; what any grace would have meant is asked of the counts here, so that one run
-- answers for every grace.

create table lateness (
    pipeline        text        not null,
    day             date        not null,
    partition       integer     not null,
    from_seconds    integer     not null,
    events          bigint      not null,
    amount          numeric     not null,
    absolute_amount numeric     not null,
    arrivals        bigint      not null,
    recorded_at     timestamptz not null default now(),
    primary key (pipeline, day, partition, from_seconds)
);

comment on table lateness is 'How late events are: running counts by day and bin, of the grace that events required and of the time they took to arrive';
comment on column lateness.pipeline is 'Name of the pipeline that counted';
comment on column lateness.day is 'Day of the event time, in UTC';
comment on column lateness.partition is 'Partition of the task that counted; add up over all';
comment on column lateness.from_seconds is 'Begin of the bin, see lateness_bins; -1: all that is less than 0';
comment on column lateness.events is 'Events whose required grace is in the bin: stream time at arrival minus end of the first of their windows to close';
comment on column lateness.amount is 'Sum of the amounts of these events';
comment on column lateness.absolute_amount is 'Sum of the amounts of these events without their signs';
comment on column lateness.arrivals is 'Events whose arrival time minus event time is in the bin';
comment on column lateness.recorded_at is 'When this row was written or last changed here';

-- Example: what required 5.000 s to 5.999 s is in the bin from 5 to 6. With a grace of 5 s all of it is late, with 6 s
-- nothing of it. So the answer for a grace is exact where a bin ends.
create view lateness_bins as
select -1 as from_seconds, 0 as to_seconds
union all
select second, second + 1 from generate_series(0, 3599) as second
union all
select second, second + 60 from generate_series(3600, 86340, 60) as second
union all
select second, second + 3600 from generate_series(86400, 31618800, 3600) as second
union all
select 31622400, null;

comment on view lateness_bins is 'The bins of lateness: less than 0, seconds up to an hour, minutes up to a day, hours up to 366 days, and the rest';

-- Both counts only ever grow, so the row with the greater sum is the newer one. While a replay passes older rows, the
-- newest stays visible.
create function protect_lateness() returns trigger
    language plpgsql
as $$
begin
    if new.events + new.arrivals <= old.events + old.arrivals then
        return null;
    end if;
    new.recorded_at := now();
    return new;
end
$$;

create trigger protect_lateness before update on lateness
    for each row execute function protect_lateness();

create function grace_what_if(pipeline text, from_day date default '-infinity', to_day date default 'infinity')
    returns table (
        grace                interval,
        events               bigint,
        late_events          bigint,
        late_share           numeric,
        late_amount          numeric,
        late_absolute_amount numeric,
        finals_later_minutes numeric)
    language sql stable
    parallel safe
as $$
    with counted as (
        select from_seconds,
               sum(events)          as events,
               sum(amount)          as amount,
               sum(absolute_amount) as absolute_amount
        from lateness
        where lateness.pipeline = grace_what_if.pipeline and day between from_day and to_day
        group by from_seconds
    ),
    running as (
        select to_seconds,
               sum(events) over ()                                                 as events,
               sum(events) over () - coalesce(sum(events) over up_to_here, 0)      as late_events,
               sum(amount) over () - coalesce(sum(amount) over up_to_here, 0)      as late_amount,
               sum(absolute_amount) over ()
                   - coalesce(sum(absolute_amount) over up_to_here, 0)             as late_absolute_amount
        from lateness_bins left join counted using (from_seconds)
        window up_to_here as (order by from_seconds)
    )
    select make_interval(secs => to_seconds),
           events::bigint,
           late_events::bigint,
           trim_scale(late_events / events),
           late_amount,
           late_absolute_amount,
           round(to_seconds / 60.0, 2)
    from running
    where events > 0 and to_seconds is not null
$$;

comment on function grace_what_if(text, date, date) is 'What every grace would have meant for the events of these days: how many late, with what amounts, and how much later finals come than with a grace of 0';

create view grace_what_if as
select pipelines.pipeline, what_if.*
from (select distinct pipeline from lateness) as pipelines
cross join lateral grace_what_if(pipelines.pipeline) as what_if;

comment on view grace_what_if is 'What every grace would have meant: how many events late, with what amounts, and how much later finals come than with a grace of 0';

create function recommended_grace(
    pipeline text, share numeric, from_day date default '-infinity', to_day date default 'infinity') returns interval
    language sql stable
    parallel safe
as $$
    select min(grace)
    from grace_what_if(pipeline, from_day, to_day)
    where events - late_events >= share * events
$$;

comment on function recommended_grace(text, numeric, date, date) is 'The smallest grace with which at least this share of the events, such as 0.99, would have been on time; null if none is enough or there are no events';

create function arrival_lateness(pipeline text, from_day date default '-infinity', to_day date default 'infinity')
    returns table (percentile numeric, at_least interval, less_than interval)
    language sql stable
    parallel safe
as $$
    with counted as (
        select from_seconds, sum(arrivals) as arrivals
        from lateness
        where lateness.pipeline = arrival_lateness.pipeline and day between from_day and to_day and arrivals > 0
        group by from_seconds
    ),
    running as (
        select from_seconds, sum(arrivals) over (order by from_seconds) as reached, sum(arrivals) over () as total
        from counted
    )
    select wanted.percentile, make_interval(secs => nullif(from_seconds, -1)), make_interval(secs => to_seconds)
    from unnest(array[50, 90, 95, 99, 99.9, 100]) as wanted(percentile)
    cross join lateral (
        select min(from_seconds) as from_seconds from running where reached * 100 >= wanted.percentile * total
    ) as bin
    join lateness_bins using (from_seconds)
$$;

comment on function arrival_lateness(text, date, date) is 'Percentiles of arrival time minus event time for the events of these days, as the bounds of the bin that they are in';

create view arrival_lateness as
select pipelines.pipeline, arrivals.*
from (select distinct pipeline from lateness) as pipelines
cross join lateral arrival_lateness(pipelines.pipeline) as arrivals;

comment on view arrival_lateness is 'Percentiles of arrival time minus event time, as the bounds of the bin that they are in';
