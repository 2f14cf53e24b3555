-- One page of the job's records in key order: those whose claim is stale, and the
-- page's last one whatever it is, so that the next page starts after it. The page
-- is limited by what is looked at, so that one statement never walks far: joined to
-- its own last key, MariaDB would read all of the job type for each page.
SELECT operation_key, state, claim_token, stale_ms, acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, NULL, completion, hold_reason, known_ms, FALSE, requeues, requeued_ms
FROM (
  SELECT *, MAX(operation_key) OVER () AS last_key FROM (
    SELECT operation_key, state, claim_token, acts, given_up, vanished, lookups, policy,
           fingerprint, fingerprint_fields, reference, completion, hold_reason, requeues,
           TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 - lease_ms AS stale_ms,
           TIMESTAMPDIFF(MICROSECOND, first_claimed_at, UTC_TIMESTAMP(6)) DIV 1000 AS known_ms,
           TIMESTAMPDIFF(MICROSECOND, requeued_at, UTC_TIMESTAMP(6)) DIV 1000 AS requeued_ms
    FROM idempotency_records
    WHERE job_type = ?1 AND operation_key > ?2
    ORDER BY operation_key LIMIT ?3
  ) AS looked_at
) AS page
WHERE operation_key = last_key OR (state = 'claimed' AND stale_ms >= 0)
ORDER BY operation_key;
