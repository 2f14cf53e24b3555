-- Marks what the old code has booked already as done, before the new code starts.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, completed_at, completion)
SELECT DISTINCT ON (order_id)
  'charge.book', order_id, 'completed', gen_random_uuid(), now(), 0, now(), now(), 'backfilled'
FROM charges
ON CONFLICT (job_type, operation_key) DO NOTHING;
