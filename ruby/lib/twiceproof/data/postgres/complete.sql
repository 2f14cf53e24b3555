-- The effect is there. Right also after the lease, as long as nobody took over,
-- and when the claim was held or its effect assumed meanwhile.
UPDATE idempotency_records SET
  state        = 'completed',
  completed_at = CASE WHEN completion = $4::text THEN completed_at ELSE statement_timestamp() END,
  completion   = $4::text,
  result       = $5::bytea,
  message      = NULL
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND (state IN ('claimed', 'held') OR completion IN ('assumed', $4::text));
