-- The job itself says that it is alive: the claim is good for so many milliseconds
-- from now. A claim that was given up, or is another's, is not renewed.
UPDATE idempotency_records SET
  lease_ms = max(0, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - claimed_at) + ?4
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND NOT given_up;
