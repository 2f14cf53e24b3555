-- The body committed the claim by itself, so nobody can tell how much of its
-- effect is there.
UPDATE idempotency_records SET
  acts         = LAST_INSERT_ID(acts + 1) - 1,
  state        = 'held',
  held_at      = UTC_TIMESTAMP(6),
  hold_reason  = ?4,
  completed_at = NULL,
  completion   = NULL,
  message      = ?5
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'completed';
