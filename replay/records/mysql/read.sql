SELECT state, claim_token, acts, COALESCE(completion, ''), COALESCE(hold_reason, ''),
       TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000, lease_ms,
       late_finish_at IS NOT NULL, given_up, COALESCE(policy, '')
FROM idempotency_records
WHERE job_type = ?1 AND operation_key = ?2
ORDER BY claimed_at;
