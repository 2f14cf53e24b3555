SELECT state, claim_token::text, acts, coalesce(completion, ''), coalesce(hold_reason, ''),
       floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000)::bigint, lease_ms,
       late_finish_at IS NOT NULL, given_up, coalesce(policy, '')
FROM idempotency_records
WHERE job_type = $1::text AND operation_key = $2::text
ORDER BY claimed_at;
