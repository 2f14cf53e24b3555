-- A delivery found the operation completed. At most once a second, so that a storm
-- of repeats does not write; the count is a lower bound.
UPDATE idempotency_records SET repeats = repeats + 1, last_repeat_at = CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)
WHERE job_type = ?1 AND operation_key = ?2 AND state = 'completed'
  AND (last_repeat_at IS NULL OR last_repeat_at <= CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - 1000);
