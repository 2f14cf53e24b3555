-- A person has decided that a held operation is done with, on the very hold that they
-- saw. The token is replaced: a worker that comes back later is told that it lost.
UPDATE idempotency_records SET
  acts         = LAST_INSERT_ID(acts + 1) - 1,
  claim_token  = ?4,
  state        = 'completed',
  completed_at = UTC_TIMESTAMP(6),
  completion   = 'resolved',
  message      = NULL,
  resolved_by  = ?6,
  resolution   = ?7
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'held' AND TIMESTAMPDIFF(MICROSECOND, '1970-01-01', held_at) = ?5;
