-- Marks one order that the old code has charged as done, before the new code starts.
-- Not to be run by hand: the replay puts the order's key in the place of the name in braces, and
-- without that it is NULL, which the table refuses. A list of orders comes from the payment
-- service's own export.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, completed_at, completion)
VALUES ('charge.create', CASE WHEN '{{key}}' LIKE '{{ke_}}' THEN NULL ELSE '{{key}}' END, 'completed', gen_random_uuid(), now(), 0, now(), now(), 'backfilled')
ON CONFLICT (job_type, operation_key) DO NOTHING;
