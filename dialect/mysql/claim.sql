-- Insert the record; insert id 0 means that one is there: read it. It never raises
-- on a duplicate, and a duplicate changes nothing.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, claimed_by, first_claimed_at,
   policy, fingerprint, fingerprint_fields, reference, message, acts)
VALUES
  (?1, ?2, 'claimed', ?3, UTC_TIMESTAMP(6), ?4, ?5, UTC_TIMESTAMP(6),
   ?6, ?7, ?8, ?9, ?10, LAST_INSERT_ID(1))
ON DUPLICATE KEY UPDATE acts = acts + LAST_INSERT_ID(0 * acts);
