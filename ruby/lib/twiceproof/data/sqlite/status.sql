-- One page of the job's records in key order, counted: by state, and what there is
-- to tell within it. The oldest is the longest stale or held. Overdue is what has been
-- stale for longer than its lease, and than a least time: the lease of a claim that was
-- let go has been cut.
SELECT state, detail, count(*), count(late_finish_at), coalesce(sum(repeats), 0), max(for_ms),
       coalesce(sum(CASE WHEN state = 'claimed' AND for_ms > max(lease_ms, ?4) THEN 1 ELSE 0 END), 0), max(operation_key)
FROM (
  SELECT operation_key, state, late_finish_at, repeats, lease_ms,
         CASE WHEN state = 'completed' THEN completion WHEN state = 'held' THEN hold_reason
              WHEN given_up AND acts = 0 THEN 'released' WHEN given_up THEN 'unknown_outcome'
              WHEN CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) >= claimed_at + lease_ms THEN 'stale'
              ELSE 'live' END AS detail,
         CASE WHEN state = 'held' THEN CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - held_at
              WHEN state = 'claimed' THEN CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - claimed_at - lease_ms END AS for_ms
  FROM idempotency_records
  WHERE job_type = ?1 AND operation_key > ?2
  ORDER BY operation_key LIMIT ?3
) AS page
GROUP BY state, detail;
