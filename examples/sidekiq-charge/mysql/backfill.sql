-- Marks one order that the old code has charged as done, before the new code starts.
-- The list of orders comes from the payment service's own export.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, completed_at, completion)
VALUES ('{{job_type}}', '{{key}}', 'completed', REPLACE(UUID(), '-', ''), UTC_TIMESTAMP(6), 0, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 'backfilled')
ON DUPLICATE KEY UPDATE operation_key = operation_key;
