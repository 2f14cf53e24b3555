-- A stale claim whose effect may be out is taken as done. The token stays, so that
-- the worker that did finish can still say so.
UPDATE idempotency_records SET
  acts         = LAST_INSERT_ID(acts),
  state        = 'completed',
  completed_at = UTC_TIMESTAMP(6),
  completion   = 'assumed',
  policy       = ?4,
  message      = NULL
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts = ?5 AND acts > 0
  AND TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 >= lease_ms;
