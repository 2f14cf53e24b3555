-- Marks one order that the old code has charged as done, before the new code starts.
-- Not to be run by hand: the replay puts the order's key in the place of the name in braces, and
-- without that it is NULL, which the table refuses. A list of orders comes from the payment
-- service's own export.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, completed_at, completion)
VALUES ('charge.create', CASE WHEN '{{key}}' LIKE '{{ke_}}' THEN NULL ELSE '{{key}}' END, 'completed', REPLACE(UUID(), '-', ''), UTC_TIMESTAMP(6), 0, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 'backfilled')
ON DUPLICATE KEY UPDATE operation_key = operation_key;
