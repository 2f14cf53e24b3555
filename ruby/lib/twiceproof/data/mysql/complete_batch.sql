-- complete.sql for several operations, the rows of a JSON list, each with its own
-- token; completed_batch.sql tells which it completed.
UPDATE JSON_TABLE(?3, '$[*]' COLUMNS (
  operation_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.operation_key',
  claim_token   VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.claim_token',
  result        LONGTEXT     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.result'
)) AS list
STRAIGHT_JOIN idempotency_records AS record
  ON record.job_type = ?1 AND record.operation_key = CAST(list.operation_key AS BINARY) AND record.claim_token = list.claim_token
SET
  record.completed_at = IF(record.completion <=> ?2, record.completed_at, UTC_TIMESTAMP(6)),
  record.state        = 'completed',
  record.completion   = ?2,
  record.result       = FROM_BASE64(list.result),
  record.message      = NULL
WHERE record.state IN ('claimed', 'held') OR record.completion IN ('assumed', ?2);
