-- Definitely not applied: the next delivery acts at once. The token is replaced,
-- so that the same release sent again does nothing.
UPDATE idempotency_records SET
  claim_token = $4::uuid,
  lease_ms    = greatest(0, floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000))::bigint,
  acts        = acts - 1,
  given_up    = true
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'claimed' AND acts > 0;
