-- A stale claim whose effect may be out waits for a person. The token stays, so
-- that the worker that did finish can still say so. Without doubt (acts = 0) it is
-- held only when nobody else would act on it: the job's mode has changed, or the
-- sweep cannot put its message back.
UPDATE idempotency_records SET
  state       = 'held',
  held_at     = statement_timestamp(),
  hold_reason = $4::text,
  policy      = $5::text
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'claimed' AND acts = $6::integer AND (acts > 0 OR $4::text IN ('mode_changed', 'max_requeues', 'no_message', 'other_message'))
  AND statement_timestamp() >= claimed_at + lease_ms * interval '1 millisecond';
