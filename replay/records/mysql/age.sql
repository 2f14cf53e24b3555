UPDATE idempotency_records SET
  claimed_at       = claimed_at - INTERVAL ?3 * 1000 MICROSECOND,
  first_claimed_at = first_claimed_at - INTERVAL ?3 * 1000 MICROSECOND,
  completed_at     = completed_at - INTERVAL ?3 * 1000 MICROSECOND,
  held_at          = held_at - INTERVAL ?3 * 1000 MICROSECOND,
  requeued_at      = requeued_at - INTERVAL ?3 * 1000 MICROSECOND
WHERE job_type = CAST(?1 AS BINARY) AND operation_key = CAST(?2 AS BINARY);
