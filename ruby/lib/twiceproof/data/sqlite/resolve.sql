-- A person has decided that a held operation is done with, on the very hold that they
-- saw. The token is replaced: a worker that comes back later is told that it lost.
UPDATE idempotency_records SET
  claim_token  = ?4,
  state        = 'completed',
  completed_at = CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER),
  completion   = 'resolved',
  message      = NULL,
  resolved_by  = ?6,
  resolution   = ?7
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'held' AND held_at * 1000 = ?5;
