-- The effect is there. Right also after the lease, as long as nobody took over,
-- and when the claim was held or its effect assumed meanwhile.
UPDATE idempotency_records SET
  state        = 'completed',
  completed_at = CASE WHEN completion = ?4 THEN completed_at ELSE CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) END,
  completion   = ?4,
  result       = ?5,
  message      = NULL
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND (state IN ('claimed', 'held') OR completion IN ('assumed', ?4));
