-- claim.sql for several operations, the rows of a JSON list. They are inserted in
-- the order of their keys, so that two batches that meet wait for one another and
-- never both. One without a row in the answer: read. LATERAL … OFFSET 0 keeps to
-- the whole key; a join planned on an empty table would read all of the job type.
WITH wanted AS MATERIALIZED (
  SELECT * FROM json_to_recordset($5::text::json) AS w
    (operation_key text COLLATE "C", claim_token uuid, fingerprint text, fingerprint_fields text, reference text, message text)
), claim AS (
  INSERT INTO idempotency_records
    (job_type, operation_key, state, claim_token, claimed_at, lease_ms, claimed_by, first_claimed_at,
     policy, fingerprint, fingerprint_fields, reference, message)
  SELECT $1::text, operation_key, 'claimed', claim_token, statement_timestamp(), $2::bigint, $3::text, statement_timestamp(),
         $4::text, decode(fingerprint, 'base64'), fingerprint_fields, reference, decode(message, 'base64')
  FROM wanted ORDER BY operation_key
  ON CONFLICT (job_type, operation_key) DO NOTHING
  RETURNING *
)
SELECT operation_key, state, replace(claim_token::text, '-', ''),
       floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000)::bigint - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, result, completion, hold_reason,
       floor(extract(epoch FROM statement_timestamp() - first_claimed_at) * 1000)::bigint,
       last_repeat_at IS NULL OR last_repeat_at <= statement_timestamp() - interval '1 second'
FROM (
  SELECT * FROM claim
  UNION ALL
  SELECT record.* FROM wanted CROSS JOIN LATERAL (
    SELECT * FROM idempotency_records WHERE job_type = $1::text AND operation_key = wanted.operation_key OFFSET 0) AS record
) AS record;
