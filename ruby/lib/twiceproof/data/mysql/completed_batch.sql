-- Which of a list are completed by their own claim.
SELECT record.operation_key
FROM JSON_TABLE(?3, '$[*]' COLUMNS (
  operation_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.operation_key',
  claim_token   VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.claim_token'
)) AS list
STRAIGHT_JOIN idempotency_records AS record
  ON record.job_type = ?1 AND record.operation_key = CAST(list.operation_key AS BINARY) AND record.claim_token = list.claim_token
WHERE record.state = 'completed' AND record.completion = ?2;
