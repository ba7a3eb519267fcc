-- A break is resolved by the recount that has judged its window, for better or worse; one that could not tell leaves it open.
comment on column reconciliation_breaks.resolved_by is 'The first later recount that has judged its window, or that knew the records which the ledger had missed; null: none has';
comment on view unresolved_breaks is 'Breaks that no later recount has judged again';
