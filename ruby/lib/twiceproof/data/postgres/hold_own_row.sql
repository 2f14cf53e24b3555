-- The body committed the claim by itself, so nobody can tell how much of its
-- effect is there.
UPDATE idempotency_records SET
  state        = 'held',
  held_at      = statement_timestamp(),
  hold_reason  = $4::text,
  completed_at = NULL,
  completion   = NULL,
  message      = $5::bytea
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'completed';
