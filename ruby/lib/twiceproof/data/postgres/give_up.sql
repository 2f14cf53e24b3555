-- Nobody can tell: the claim ends so many milliseconds from now, and then the
-- policy follows. The last parameter is 1 when a look-up gave no answer.
UPDATE idempotency_records SET
  lease_ms = greatest(0, floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000))::bigint + $4::bigint,
  lookups  = lookups + $5::integer,
  given_up = true
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'claimed' AND NOT given_up;
