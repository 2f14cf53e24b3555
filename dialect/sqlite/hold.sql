-- A stale claim whose effect may be out waits for a person. The token stays, so
-- that the worker that did finish can still say so. Without doubt (acts = 0) it is
-- held only when the job's mode has changed: nobody else would act on it then.
UPDATE idempotency_records SET
  state       = 'held',
  held_at     = CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER),
  hold_reason = ?4,
  policy      = ?5
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts = ?6 AND (acts > 0 OR ?4 = 'mode_changed')
  AND CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) >= claimed_at + lease_ms;
