-- A stale claim's message is about to be put back on the queue: marked first, pushed
-- second. Every mark counts, so the count that was read stands for the time of the
-- last one too: of two sweeps that read the same, one marks. The last parameter is
-- how much longer than the stored lease to wait.
UPDATE idempotency_records SET
  requeues    = requeues + 1,
  requeued_at = statement_timestamp()
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'claimed' AND acts = $4::integer AND requeues = $5::integer
  AND statement_timestamp() >= claimed_at + (lease_ms + $6::bigint) * interval '1 millisecond';
