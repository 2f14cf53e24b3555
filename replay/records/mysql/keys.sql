SELECT operation_key FROM idempotency_records WHERE job_type = ?1 ORDER BY first_claimed_at, operation_key;
