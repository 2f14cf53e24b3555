-- A stale claim whose effect may be out waits for a person. The token stays, so
-- that the worker that did finish can still say so. Without doubt (acts = 0) it is
-- held only when the job's mode has changed: nobody else would act on it then.
UPDATE idempotency_records SET
  state       = 'held',
  held_at     = statement_timestamp(),
  hold_reason = $4::text,
  policy      = $5::text
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'claimed' AND acts = $6::integer AND (acts > 0 OR $4::text = 'mode_changed')
  AND statement_timestamp() >= claimed_at + lease_ms * interval '1 millisecond';
