-- The first statement of the transaction that will hold claim, effect and
-- completion: nobody can see the state in between, so the record is born completed.
-- As the first statement it takes the writer's lock before anything was read, so
-- that a busy database is waited for and never fails at once.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, claimed_by, first_claimed_at,
   fingerprint, fingerprint_fields, reference, completed_at, completion)
VALUES
  (?1, ?2, 'completed', ?3, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER), 0, ?4,
   CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER), ?5, ?6, ?7,
   CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER), 'acted')
ON CONFLICT (job_type, operation_key) DO NOTHING
RETURNING claim_token;
