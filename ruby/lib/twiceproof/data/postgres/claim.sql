-- Insert the record, or answer the one that is there. It never raises on a
-- duplicate: that would abort the caller's transaction. No row at all means
-- that another claim was committed after this statement's snapshot: read.
WITH claim AS (
  INSERT INTO idempotency_records
    (job_type, operation_key, state, claim_token, claimed_at, lease_ms, claimed_by, first_claimed_at,
     policy, fingerprint, fingerprint_fields, reference, message)
  VALUES
    ($1::text, $2::text, 'claimed', $3::uuid, statement_timestamp(), $4::bigint, $5::text, statement_timestamp(),
     $6::text, $7::bytea, $8::text, $9::text, $10::bytea)
  ON CONFLICT (job_type, operation_key) DO NOTHING
  RETURNING *
)
SELECT state, replace(claim_token::text, '-', ''),
       floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000)::bigint - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, result, completion, hold_reason,
       floor(extract(epoch FROM statement_timestamp() - first_claimed_at) * 1000)::bigint,
       last_repeat_at IS NULL OR last_repeat_at <= statement_timestamp() - interval '1 second'
FROM (
  SELECT * FROM claim
  UNION ALL
  SELECT * FROM idempotency_records WHERE job_type = $1::text AND operation_key = $2::text
    AND job_type::text COLLATE "C" = $1::text AND operation_key::text COLLATE "C" = $2::text -- see read
) AS record;
