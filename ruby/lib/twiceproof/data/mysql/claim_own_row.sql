-- The first statement of the transaction that will hold claim, effect and
-- completion: nobody can see the state in between, so the record is born completed.
-- Insert id 0 means that it is there. MariaDB does not wait for another transaction
-- that is about to make it, which is error 1205; MySQL has no such clause and waits
-- for its innodb_lock_wait_timeout.
/*M! SET STATEMENT innodb_lock_wait_timeout = 0 FOR */
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, claimed_by, first_claimed_at,
   fingerprint, fingerprint_fields, reference, completed_at, completion, acts)
VALUES
  (?1, ?2, 'completed', ?3, UTC_TIMESTAMP(6), 0, ?4, UTC_TIMESTAMP(6),
   ?5, ?6, ?7, UTC_TIMESTAMP(6), 'acted', LAST_INSERT_ID(1))
ON DUPLICATE KEY UPDATE acts = acts + LAST_INSERT_ID(0 * acts);
