-- A delivery found the operation completed. At most once a second, so that a storm
-- of repeats does not write, and never after a wait; the count is a lower bound.
UPDATE idempotency_records SET repeats = repeats + 1, last_repeat_at = statement_timestamp()
WHERE ctid = (
  SELECT ctid FROM idempotency_records
  WHERE job_type = $1::text AND operation_key = $2::text AND state = 'completed'
    AND (last_repeat_at IS NULL OR last_repeat_at <= statement_timestamp() - interval '1 second')
  FOR UPDATE SKIP LOCKED);
