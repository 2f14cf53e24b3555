-- An owner that had lost its claim came back: a second effect may exist.
UPDATE idempotency_records SET
  acts           = LAST_INSERT_ID(acts + 1) - 1,
  late_finish_at = COALESCE(late_finish_at, UTC_TIMESTAMP(6))
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token <> ?3;
