-- One page of the job's records in key order: those whose claim is stale, and the
-- page's last one whatever it is, so that the next page starts after it. The page
-- is limited by what is looked at, so that one statement never walks far.
SELECT operation_key, state, replace(claim_token::text, '-', ''),
       floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000)::bigint - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, NULL::bytea, completion, hold_reason,
       floor(extract(epoch FROM statement_timestamp() - first_claimed_at) * 1000)::bigint, false,
       requeues, floor(extract(epoch FROM statement_timestamp() - requeued_at) * 1000)::bigint
FROM (
  SELECT *, max(operation_key) OVER () AS last_key FROM (
    SELECT * FROM idempotency_records
    WHERE job_type = $1::text AND operation_key > $2::text
    ORDER BY operation_key LIMIT $3::bigint
  ) AS looked_at
) AS page
WHERE operation_key = last_key
   OR (state = 'claimed' AND statement_timestamp() >= claimed_at + lease_ms * interval '1 millisecond')
ORDER BY operation_key;
