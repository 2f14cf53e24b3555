-- After a takeover one more attempt may have its effect: acts becomes the value
-- that was read and one more. Sent again it changes nothing.
UPDATE idempotency_records SET acts = $4::integer + 1
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid
  AND state = 'claimed' AND acts IN ($4::integer, $4::integer + 1);
