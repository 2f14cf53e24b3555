-- The held ones of a page, as in record. The page's end is a statement of its own: with
-- it in this one, MariaDB would read on to the end of the table.
SELECT operation_key, state, claim_token, policy, hold_reason, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', held_at),
       TIMESTAMPDIFF(MICROSECOND, held_at, UTC_TIMESTAMP(6)) DIV 1000,
       TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 - lease_ms,
       claimed_by, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', first_claimed_at), acts, vanished, lookups, requeues, reference,
       TIMESTAMPDIFF(MICROSECOND, '1970-01-01', late_finish_at), octet_length(message),
       completion, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', completed_at), resolved_by, resolution
FROM idempotency_records
WHERE job_type = ?1 AND operation_key > ?2 AND operation_key <= ?3 AND state = 'held'
ORDER BY operation_key;
