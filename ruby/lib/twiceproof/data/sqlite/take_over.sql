-- A new claim on a stale one, shown by the token and the acts that were read: when
-- its owner did anything in between, no row. The last parameter is how much longer
-- than the stored lease to wait (for a claim made before its job had a settle time).
UPDATE idempotency_records SET
  claim_token = ?4,
  claimed_at  = CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER),
  lease_ms    = ?5,
  claimed_by  = ?6,
  policy      = ?7,
  vanished    = vanished + CASE WHEN acts > 0 AND NOT given_up THEN 1 ELSE 0 END,
  acts        = max(acts, 1),
  given_up    = 0
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts = ?8
  AND CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) >= claimed_at + lease_ms + ?9;
