-- A person has decided that a held operation is to be run again, on the very hold that
-- they saw: a claim that is stale at once, with its counters at nothing. The next claimer
-- acts when acts is 0; otherwise it follows the policy, and counts no worker as vanished,
-- since this claim is given up. The last parameter is 1 when the message is about to be
-- put back: marked here, pushed second.
UPDATE idempotency_records SET
  acts        = $8::integer,
  claim_token = $4::uuid,
  state       = 'claimed',
  claimed_at  = statement_timestamp(),
  lease_ms    = 0,
  given_up    = $8::integer > 0,
  vanished    = 0,
  lookups     = 0,
  requeues    = 0,
  requeued_at = CASE WHEN $9::integer = 1 THEN statement_timestamp() END,
  resolved_by = $6::text,
  resolution  = $7::text
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'held' AND (extract(epoch FROM held_at) * 1000000)::bigint = $5::bigint;
