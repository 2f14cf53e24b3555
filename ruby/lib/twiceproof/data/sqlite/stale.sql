-- One page of the job's records in key order: those whose claim is stale, and the
-- page's last one whatever it is, so that the next page starts after it. The page
-- is limited by what is looked at, so that one statement never walks far.
SELECT operation_key, state, claim_token,
       CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - claimed_at - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, NULL, completion, hold_reason,
       CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - first_claimed_at, 0,
       requeues, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - requeued_at
FROM (
  SELECT max(operation_key) AS last_key FROM (
    SELECT operation_key FROM idempotency_records
    WHERE job_type = ?1 AND operation_key > ?2
    ORDER BY operation_key LIMIT ?3
  )
) CROSS JOIN idempotency_records -- in this order: the page's end first
WHERE job_type = ?1 AND operation_key > ?2 AND operation_key <= last_key
  AND (operation_key = last_key OR (state = 'claimed'
       AND CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) >= claimed_at + lease_ms))
ORDER BY operation_key;
