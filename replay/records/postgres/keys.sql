SELECT operation_key FROM idempotency_records WHERE job_type = $1::text ORDER BY first_claimed_at, operation_key;
