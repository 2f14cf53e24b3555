-- Marks what the old code has booked already as done, before the new code starts.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, completed_at, completion)
SELECT 'charge.book', order_id, 'completed', REPLACE(UUID(), '-', ''), UTC_TIMESTAMP(6), 0, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 'backfilled'
FROM charges
ON DUPLICATE KEY UPDATE operation_key = idempotency_records.operation_key;
