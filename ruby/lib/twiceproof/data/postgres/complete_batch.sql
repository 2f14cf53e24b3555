-- complete.sql for several operations, the rows of a JSON list, each with its own
-- token. It answers those that it completed. Nothing is ever inserted: each record
-- is there and locked by then. An UPDATE with a join would be shorter, but planned
-- on an empty table it reads all of the job type; ON CONFLICT keeps to the key.
INSERT INTO idempotency_records AS record
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, result)
SELECT mine.job_type, mine.operation_key, 'claimed', mine.claim_token, mine.claimed_at, 0, mine.first_claimed_at, decode(list.result, 'base64')
FROM json_to_recordset($3::text::json) AS list (operation_key text COLLATE "C", claim_token uuid, result text)
CROSS JOIN LATERAL (
  SELECT * FROM idempotency_records
  WHERE job_type = $1::text AND operation_key = list.operation_key AND claim_token = list.claim_token
    AND (state IN ('claimed', 'held') OR completion IN ('assumed', $2::text))
  FOR UPDATE OFFSET 0
) AS mine
ON CONFLICT (job_type, operation_key) DO UPDATE SET
  state        = 'completed',
  completed_at = CASE WHEN record.completion = $2::text THEN record.completed_at ELSE statement_timestamp() END,
  completion   = $2::text,
  result       = excluded.result,
  message      = NULL
WHERE record.claim_token = excluded.claim_token
RETURNING operation_key;
