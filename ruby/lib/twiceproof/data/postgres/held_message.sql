-- The stored message of a hold that is still the one that was read.
SELECT message FROM idempotency_records
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'held' AND (extract(epoch FROM held_at) * 1000000)::bigint = $4::bigint;
