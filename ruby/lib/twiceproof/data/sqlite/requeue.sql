-- A stale claim's message is about to be put back on the queue: marked first, pushed
-- second. Every mark counts, so the count that was read stands for the time of the
-- last one too: of two sweeps that read the same, one marks. The last parameter is
-- how much longer than the stored lease to wait.
UPDATE idempotency_records SET
  requeues    = requeues + 1,
  requeued_at = CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts = ?4 AND requeues = ?5
  AND CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) >= claimed_at + lease_ms + ?6;
