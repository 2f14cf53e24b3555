-- The stored message of a hold that is still the one that was read.
SELECT message FROM idempotency_records
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'held' AND TIMESTAMPDIFF(MICROSECOND, '1970-01-01', held_at) = ?4;
