-- The effect is there. Right also after the lease, as long as nobody took over,
-- and when the claim was held or its effect assumed meanwhile.
UPDATE idempotency_records SET
  acts         = LAST_INSERT_ID(acts + 1) - 1,
  completed_at = IF(completion <=> ?4, completed_at, UTC_TIMESTAMP(6)),
  state        = 'completed',
  completion   = ?4,
  result       = ?5,
  message      = NULL
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND (state IN ('claimed', 'held') OR completion IN ('assumed', ?4));
