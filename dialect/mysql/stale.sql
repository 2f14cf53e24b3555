-- One page of the job's records in key order: those whose claim is stale, and the
-- page's last one whatever it is, so that the next page starts after it. The page
-- is limited by what is looked at, so that one statement never walks far.
SELECT operation_key, state, claim_token,
       TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, NULL, completion, hold_reason,
       TIMESTAMPDIFF(MICROSECOND, first_claimed_at, UTC_TIMESTAMP(6)) DIV 1000, FALSE,
       requeues, TIMESTAMPDIFF(MICROSECOND, requeued_at, UTC_TIMESTAMP(6)) DIV 1000
FROM idempotency_records
JOIN (
  SELECT MAX(operation_key) AS last_key FROM (
    SELECT operation_key FROM idempotency_records
    WHERE job_type = ?1 AND operation_key > ?2
    ORDER BY operation_key LIMIT ?3
  ) AS looked_at
) AS page ON operation_key <= last_key
WHERE job_type = ?1 AND operation_key > ?2
  AND (operation_key = last_key OR (state = 'claimed'
       AND TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 >= lease_ms))
ORDER BY operation_key;
