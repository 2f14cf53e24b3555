-- The held ones of a page, as in record. The page's end is a statement of its own: with
-- it in this one, MariaDB would read on to the end of the table.
SELECT operation_key, state, claim_token, policy, hold_reason, held_at * 1000,
       CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - held_at,
       CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - claimed_at - lease_ms,
       claimed_by, first_claimed_at * 1000, acts, vanished, lookups, requeues, reference,
       late_finish_at * 1000, length(message),
       completion, completed_at * 1000, resolved_by, resolution
FROM idempotency_records
WHERE job_type = ?1 AND operation_key > ?2 AND operation_key <= ?3 AND state = 'held'
ORDER BY operation_key;
