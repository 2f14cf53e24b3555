-- A new claim on a stale one, shown by the token and the acts that were read: when
-- its owner did anything in between, no row. The last parameter is how much longer
-- than the stored lease to wait (for a claim made before its job had a settle time).
UPDATE idempotency_records SET
  claim_token = $4::uuid,
  claimed_at  = statement_timestamp(),
  lease_ms    = $5::bigint,
  claimed_by  = $6::text,
  policy      = $7::text,
  vanished    = vanished + CASE WHEN acts > 0 AND NOT given_up THEN 1 ELSE 0 END,
  acts        = greatest(acts, 1),
  given_up    = false
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'claimed' AND acts = $8::integer
  AND statement_timestamp() >= claimed_at + (lease_ms + $9::bigint) * interval '1 millisecond';
