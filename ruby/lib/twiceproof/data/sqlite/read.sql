-- The record as it is now; the third column is for how long it has been stale
-- (negative: for how long the claim is still good). The key is compared by its bytes
-- again: a column that was made otherwise may take another operation's record for this one.
SELECT state, claim_token,
       CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - claimed_at - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, result, completion, hold_reason,
       CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - first_claimed_at,
       last_repeat_at IS NULL OR last_repeat_at <= CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - 1000
FROM idempotency_records
WHERE job_type = ?1 AND operation_key = ?2
  AND job_type = ?1 COLLATE BINARY AND operation_key = ?2 COLLATE BINARY;
