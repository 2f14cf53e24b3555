UPDATE idempotency_records SET
  claimed_at       = claimed_at - $3::bigint * interval '1 millisecond',
  first_claimed_at = first_claimed_at - $3::bigint * interval '1 millisecond',
  completed_at     = completed_at - $3::bigint * interval '1 millisecond',
  held_at          = held_at - $3::bigint * interval '1 millisecond',
  requeued_at      = requeued_at - $3::bigint * interval '1 millisecond'
WHERE job_type = $1::text AND operation_key = $2::text;
