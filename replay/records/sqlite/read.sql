SELECT state, claim_token, acts, coalesce(completion, ''), coalesce(hold_reason, ''),
       CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - claimed_at, lease_ms,
       late_finish_at IS NOT NULL, given_up, coalesce(policy, '')
FROM idempotency_records
WHERE job_type = ?1 AND operation_key = ?2
ORDER BY claimed_at;
