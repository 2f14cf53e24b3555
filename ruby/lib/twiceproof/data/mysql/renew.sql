-- The job itself says that it is alive: the claim is good for so many milliseconds
-- from now. A claim that was given up, or is another's, is not renewed.
UPDATE idempotency_records SET
  acts     = LAST_INSERT_ID(acts + 1) - 1,
  lease_ms = GREATEST(0, TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000) + ?4
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND NOT given_up;
