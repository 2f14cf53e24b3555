-- A person has decided that a held operation is to be run again, on the very hold that
-- they saw: a claim that is stale at once, with its counters at nothing. The next claimer
-- acts when acts is 0; otherwise it follows the policy, and counts no worker as vanished,
-- since this claim is given up. The last parameter is 1 when the message is about to be
-- put back: marked here, pushed second.
UPDATE idempotency_records SET
  acts        = LAST_INSERT_ID(?8 + 1) - 1,
  claim_token = ?4,
  state       = 'claimed',
  claimed_at  = UTC_TIMESTAMP(6),
  lease_ms    = 0,
  given_up    = ?8 > 0,
  vanished    = 0,
  lookups     = 0,
  requeues    = 0,
  requeued_at = CASE WHEN ?9 = 1 THEN UTC_TIMESTAMP(6) END,
  resolved_by = ?6,
  resolution  = ?7
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'held' AND TIMESTAMPDIFF(MICROSECOND, '1970-01-01', held_at) = ?5;
