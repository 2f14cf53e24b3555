-- The body committed the claim by itself, so nobody can tell how much of its
-- effect is there.
UPDATE idempotency_records SET
  state        = 'held',
  held_at      = CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER),
  hold_reason  = ?4,
  completed_at = NULL,
  completion   = NULL,
  message      = ?5
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'completed';
