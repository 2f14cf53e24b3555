-- A stale claim's message is about to be put back on the queue: marked first, pushed
-- second. Every mark counts, so the count that was read stands for the time of the
-- last one too: of two sweeps that read the same, one marks. The last parameter is
-- how much longer than the stored lease to wait.
UPDATE idempotency_records SET
  acts        = LAST_INSERT_ID(acts + 1) - 1,
  requeues    = requeues + 1,
  requeued_at = UTC_TIMESTAMP(6)
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts = ?4 AND requeues = ?5
  AND TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 >= lease_ms + ?6;
