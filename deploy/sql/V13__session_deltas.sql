-- Of two sessions of 5 and 7 that a late event of 1 joins, the first is corrected from 5 to 13, by 8, and the other one
-- is replaced, by -7: 12 + 8 - 7 is what the session amounts to.

comment on column sessions.previous_amount is 'What the version before it, of the same start, said; 0 if there was none, null for a final';
comment on column sessions.delta is 'amount minus previous_amount; amounts of finals and deltas of all others add up to the sum over sessions_current, but for rows recorded before this comment was made';
