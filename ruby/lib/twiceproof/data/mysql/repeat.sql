-- A delivery found the operation completed. At most once a second, so that a storm
-- of repeats does not write; the count is a lower bound.
UPDATE idempotency_records SET
  acts           = LAST_INSERT_ID(acts + 1) - 1,
  repeats        = repeats + 1,
  last_repeat_at = UTC_TIMESTAMP(6)
WHERE job_type = ?1 AND operation_key = ?2 AND state = 'completed'
  AND (last_repeat_at IS NULL OR last_repeat_at <= UTC_TIMESTAMP(6) - INTERVAL 1 SECOND);
