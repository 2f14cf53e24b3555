UPDATE idempotency_records SET
  claimed_at       = claimed_at - ?3,
  first_claimed_at = first_claimed_at - ?3,
  completed_at     = completed_at - ?3,
  held_at          = held_at - ?3,
  requeued_at      = requeued_at - ?3
WHERE job_type = ?1 AND operation_key = ?2;
