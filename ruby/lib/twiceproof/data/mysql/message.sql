-- The stored message of a claim that is still the one that was read.
SELECT message FROM idempotency_records
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed';
