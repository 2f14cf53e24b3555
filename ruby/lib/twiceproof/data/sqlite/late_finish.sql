-- An owner that had lost its claim came back: a second effect may exist.
UPDATE idempotency_records SET late_finish_at = coalesce(late_finish_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER))
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token <> ?3;
