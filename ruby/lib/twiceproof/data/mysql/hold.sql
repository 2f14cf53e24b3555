-- A stale claim whose effect may be out waits for a person. The token stays, so
-- that the worker that did finish can still say so. Without doubt (acts = 0) it is
-- held only when nobody else would act on it: the job's mode has changed, or the
-- sweep cannot put its message back.
UPDATE idempotency_records SET
  acts        = LAST_INSERT_ID(acts + 1) - 1,
  state       = 'held',
  held_at     = UTC_TIMESTAMP(6),
  hold_reason = ?4,
  policy      = ?5
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts = ?6 AND (acts > 0 OR ?4 IN ('mode_changed', 'max_requeues', 'no_message', 'other_message'))
  AND TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 >= lease_ms;
