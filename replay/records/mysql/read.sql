SELECT state, claim_token, acts, COALESCE(completion, ''), COALESCE(hold_reason, ''),
       TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000, lease_ms,
       late_finish_at IS NOT NULL, given_up, COALESCE(policy, '')
FROM idempotency_records
-- As bytes: a column that is text by mistake may not be comparable with every key.
WHERE job_type = CAST(?1 AS BINARY) AND operation_key = CAST(?2 AS BINARY)
ORDER BY claimed_at;
