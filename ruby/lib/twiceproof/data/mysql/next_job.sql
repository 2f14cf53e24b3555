-- The next job type after one, in the order of the key.
SELECT job_type FROM idempotency_records WHERE job_type > ?1 ORDER BY job_type LIMIT 1;
