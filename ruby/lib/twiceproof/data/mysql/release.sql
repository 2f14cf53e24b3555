-- Definitely not applied: the next delivery acts at once. The token is replaced,
-- so that the same release sent again does nothing.
UPDATE idempotency_records SET
  claim_token = ?4,
  lease_ms    = GREATEST(0, TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000),
  acts        = LAST_INSERT_ID(acts) - 1,
  given_up    = TRUE
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts > 0;
