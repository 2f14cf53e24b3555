-- The record as it is now; the third column is for how long it has been stale
-- (negative: for how long the claim is still good). The key is compared by its bytes
-- again: a column that was altered may take another operation's record for this one.
SELECT state, replace(claim_token::text, '-', ''),
       floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000)::bigint - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, result, completion, hold_reason,
       floor(extract(epoch FROM statement_timestamp() - first_claimed_at) * 1000)::bigint,
       last_repeat_at IS NULL OR last_repeat_at <= statement_timestamp() - interval '1 second'
FROM idempotency_records
WHERE job_type = $1::text AND operation_key = $2::text
  AND job_type::text COLLATE "C" = $1::text AND operation_key::text COLLATE "C" = $2::text;
