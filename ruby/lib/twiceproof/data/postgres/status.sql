-- One page of the job's records in key order, counted: by state, and what there is
-- to tell within it. The oldest is the longest stale or held. Overdue is what has been
-- stale for longer than its lease, and than a least time: the lease of a claim that was
-- let go has been cut.
SELECT state, detail, count(*), count(late_finish_at), coalesce(sum(repeats), 0)::bigint, max(for_ms),
       coalesce(sum(CASE WHEN state = 'claimed' AND for_ms > greatest(lease_ms, $4::bigint) THEN 1 ELSE 0 END), 0), max(operation_key)
FROM (
  SELECT operation_key, state, late_finish_at, repeats, lease_ms,
         CASE WHEN state = 'completed' THEN completion WHEN state = 'held' THEN hold_reason
              WHEN given_up AND acts = 0 THEN 'released' WHEN given_up THEN 'unknown_outcome'
              WHEN statement_timestamp() >= claimed_at + lease_ms * interval '1 millisecond' THEN 'stale'
              ELSE 'live' END AS detail,
         CASE WHEN state = 'held' THEN floor(extract(epoch FROM statement_timestamp() - held_at) * 1000)::bigint
              WHEN state = 'claimed' THEN floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000)::bigint - lease_ms END AS for_ms
  FROM idempotency_records
  WHERE job_type = $1::text AND operation_key > $2::text
  ORDER BY operation_key LIMIT $3::bigint
) AS page
GROUP BY state, detail;
