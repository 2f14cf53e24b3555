-- A stale claim whose effect may be out is taken as done. The token stays, so that
-- the worker that did finish can still say so.
UPDATE idempotency_records SET
  state        = 'completed',
  completed_at = CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER),
  completion   = 'assumed',
  policy       = ?4,
  message      = NULL
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts = ?5 AND acts > 0
  AND CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) >= claimed_at + lease_ms;
