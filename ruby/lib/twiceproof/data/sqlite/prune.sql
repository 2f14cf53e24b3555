-- Delete what was completed long enough ago within a range of keys: never what is claimed
-- or held, and the evidence (assumed, resolved, a late finish) only when it is asked for.
DELETE FROM idempotency_records
WHERE job_type = ?1 AND operation_key >= ?2 AND operation_key <= ?3
  AND state = 'completed' AND CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - completed_at >= ?4
  AND (?5 = 1 OR completion NOT IN ('assumed', 'resolved') AND late_finish_at IS NULL);
