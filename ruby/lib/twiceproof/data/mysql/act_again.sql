-- After a takeover one more attempt may have its effect: acts becomes the value
-- that was read and one more. Sent again it changes nothing.
UPDATE idempotency_records SET acts = LAST_INSERT_ID(GREATEST(acts, ?4 + 1))
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3
  AND state = 'claimed' AND acts IN (?4, ?4 + 1);
