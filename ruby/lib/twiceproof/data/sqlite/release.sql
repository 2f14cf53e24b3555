-- Definitely not applied: the next delivery acts at once. The token is replaced,
-- so that the same release sent again does nothing.
UPDATE idempotency_records SET
  claim_token = ?4,
  lease_ms    = max(0, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - claimed_at),
  acts        = acts - 1,
  given_up    = 1
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts > 0;
