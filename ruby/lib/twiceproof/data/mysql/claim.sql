-- Insert the record, or answer the one that is there, which it does not change. It
-- never raises on a duplicate. MySQL has no RETURNING and answers no row: read.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, claimed_by, first_claimed_at,
   policy, fingerprint, fingerprint_fields, reference, message, acts)
VALUES
  (?1, ?2, 'claimed', ?3, UTC_TIMESTAMP(6), ?4, ?5, UTC_TIMESTAMP(6),
   ?6, ?7, ?8, ?9, ?10, LAST_INSERT_ID(1))
ON DUPLICATE KEY UPDATE acts = acts + LAST_INSERT_ID(0 * acts)
/*M! RETURNING state, claim_token,
       TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, result, completion, hold_reason,
       TIMESTAMPDIFF(MICROSECOND, first_claimed_at, UTC_TIMESTAMP(6)) DIV 1000,
       last_repeat_at IS NULL OR last_repeat_at <= UTC_TIMESTAMP(6) - INTERVAL 1 SECOND */;
