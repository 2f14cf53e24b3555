-- The job itself says that it is alive: the claim is good for so many milliseconds
-- from now. A claim that was given up, or is another's, is not renewed.
UPDATE idempotency_records SET
  lease_ms = greatest(0, floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000))::bigint + $4::bigint
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'claimed' AND NOT given_up;
