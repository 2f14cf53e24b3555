-- A stale claim whose effect may be out waits for a person. The token stays, so
-- that the worker that did finish can still say so. Without doubt (acts = 0) it is
-- held only when nobody else would act on it: the job's mode has changed, or the
-- sweep cannot put its message back.
UPDATE idempotency_records SET
  state       = 'held',
  held_at     = CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER),
  hold_reason = ?4,
  policy      = ?5
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts = ?6 AND (acts > 0 OR ?4 IN ('mode_changed', 'max_requeues', 'no_message', 'other_message'))
  AND CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) >= claimed_at + lease_ms;
