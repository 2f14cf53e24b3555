-- The record as it is now; the third column is for how long it has been stale
-- (negative: for how long the claim is still good).
SELECT state, claim_token,
       TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, result, completion, hold_reason,
       TIMESTAMPDIFF(MICROSECOND, first_claimed_at, UTC_TIMESTAMP(6)) DIV 1000,
       last_repeat_at IS NULL OR last_repeat_at <= UTC_TIMESTAMP(6) - INTERVAL 1 SECOND
FROM idempotency_records
WHERE job_type = ?1 AND operation_key = ?2;
