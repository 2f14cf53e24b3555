-- A new claim on a stale one, shown by the token and the acts that were read: when
-- its owner did anything in between, no row. The last parameter is how much longer
-- than the stored lease to wait (for a claim made before its job had a settle time).
-- What an assignment reads stands before what is assigned: MySQL goes from left to
-- right, and a later one sees the new value.
UPDATE idempotency_records SET
  vanished    = vanished + (acts > 0 AND NOT given_up),
  claim_token = ?4,
  claimed_at  = UTC_TIMESTAMP(6),
  lease_ms    = ?5,
  claimed_by  = ?6,
  policy      = ?7,
  acts        = LAST_INSERT_ID(GREATEST(acts, 1)),
  given_up    = FALSE
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts = ?8
  AND TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 >= lease_ms + ?9;
