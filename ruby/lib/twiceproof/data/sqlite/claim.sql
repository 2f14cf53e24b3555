-- Insert the record; no row changed means that one is there: read it.
-- 'now' is one value within a statement. julianday, because before SQLite 3.42
-- unixepoch('subsec') is silently NULL.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, claimed_by, first_claimed_at,
   policy, fingerprint, fingerprint_fields, reference, message)
VALUES
  (?1, ?2, 'claimed', ?3, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER), ?4, ?5, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER),
   ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (job_type, operation_key) DO NOTHING;
