-- claim.sql for several operations, the rows of a JSON list, each with its own token.
-- In key order, so that two batches never wait for each other. What it does not answer
-- (MySQL has no RETURNING) is claimed alone.
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, claimed_by, first_claimed_at,
   policy, fingerprint, fingerprint_fields, reference, message, acts)
SELECT ?1, operation_key, 'claimed', claim_token, UTC_TIMESTAMP(6), ?2, ?3, UTC_TIMESTAMP(6),
       ?4, FROM_BASE64(fingerprint), fingerprint_fields, reference, FROM_BASE64(message), 1
FROM JSON_TABLE(?5, '$[*]' COLUMNS (
  operation_key      VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.operation_key',
  claim_token        VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.claim_token',
  fingerprint        VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.fingerprint',
  fingerprint_fields TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.fingerprint_fields',
  reference          VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.reference',
  message            LONGTEXT     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.message'
)) AS list
ORDER BY operation_key
ON DUPLICATE KEY UPDATE acts = idempotency_records.acts
/*M! RETURNING operation_key, state, claim_token,
       TIMESTAMPDIFF(MICROSECOND, claimed_at, UTC_TIMESTAMP(6)) DIV 1000 - lease_ms,
       acts, given_up, vanished, lookups, policy,
       fingerprint, fingerprint_fields, reference, result, completion, hold_reason,
       TIMESTAMPDIFF(MICROSECOND, first_claimed_at, UTC_TIMESTAMP(6)) DIV 1000,
       last_repeat_at IS NULL OR last_repeat_at <= UTC_TIMESTAMP(6) - INTERVAL 1 SECOND */;
