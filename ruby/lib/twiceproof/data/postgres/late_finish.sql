-- An owner that had lost its claim came back: a second effect may exist.
UPDATE idempotency_records SET late_finish_at = coalesce(late_finish_at, statement_timestamp())
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token <> $3::uuid;
