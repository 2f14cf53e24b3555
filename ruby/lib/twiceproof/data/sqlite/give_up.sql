-- Nobody can tell: the claim ends so many milliseconds from now, and then the
-- policy follows. The last parameter is 1 when a look-up gave no answer.
UPDATE idempotency_records SET
  lease_ms = max(0, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - claimed_at) + ?4,
  lookups  = lookups + ?5,
  given_up = 1
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND NOT given_up;
