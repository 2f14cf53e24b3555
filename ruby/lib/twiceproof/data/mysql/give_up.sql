-- Nobody can tell: the claim ends so many milliseconds from now, and then the
-- policy follows. The last parameter is 1 when a look-up gave no answer.
UPDATE idempotency_records SET
  acts     = LAST_INSERT_ID(acts + 1) - 1,
  lease_ms = GREATEST(0, TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000) + ?4,
  lookups  = lookups + ?5,
  given_up = TRUE
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND NOT given_up;
