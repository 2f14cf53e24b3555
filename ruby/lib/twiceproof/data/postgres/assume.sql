-- A stale claim whose effect may be out is taken as done. The token stays, so that
-- the worker that did finish can still say so.
UPDATE idempotency_records SET
  state        = 'completed',
  completed_at = statement_timestamp(),
  completion   = 'assumed',
  policy       = $4::text,
  message      = NULL
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'claimed' AND acts = $5::integer AND acts > 0
  AND statement_timestamp() >= claimed_at + lease_ms * interval '1 millisecond';
