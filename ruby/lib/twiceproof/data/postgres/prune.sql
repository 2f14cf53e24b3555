-- Delete what was completed long enough ago within a range of keys: never what is claimed
-- or held, and the evidence (assumed, resolved, a late finish) only when it is asked for.
DELETE FROM idempotency_records
WHERE job_type = $1::text AND operation_key >= $2::text AND operation_key <= $3::text
  AND state = 'completed' AND completed_at <= statement_timestamp() - $4::bigint * interval '1 millisecond'
  AND ($5::integer = 1 OR completion NOT IN ('assumed', 'resolved') AND late_finish_at IS NULL);
