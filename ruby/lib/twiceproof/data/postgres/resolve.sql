-- A person has decided that a held operation is done with, on the very hold that they
-- saw. The token is replaced: a worker that comes back later is told that it lost.
UPDATE idempotency_records SET
  claim_token  = $4::uuid,
  state        = 'completed',
  completed_at = statement_timestamp(),
  completion   = 'resolved',
  message      = NULL,
  resolved_by  = $6::text,
  resolution   = $7::text
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'held' AND (extract(epoch FROM held_at) * 1000000)::bigint = $5::bigint;
