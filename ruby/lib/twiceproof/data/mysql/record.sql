-- One operation's record as a person is shown it: times in microseconds since 1970,
-- and for how many milliseconds it has been held and its claim has been stale.
SELECT operation_key, state, claim_token, policy, hold_reason, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', held_at),
       TIMESTAMPDIFF(MICROSECOND, held_at, UTC_TIMESTAMP(6)) DIV 1000,
       TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 - lease_ms,
       claimed_by, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', first_claimed_at), acts, vanished, lookups, requeues, reference,
       TIMESTAMPDIFF(MICROSECOND, '1970-01-01', late_finish_at), octet_length(message),
       completion, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', completed_at), resolved_by, resolution
FROM idempotency_records
WHERE job_type = ?1 AND operation_key = ?2;
