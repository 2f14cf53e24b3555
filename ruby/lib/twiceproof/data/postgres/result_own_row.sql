-- What a repeat is to be answered with, in the claim's transaction.
UPDATE idempotency_records SET result = $4::bytea
WHERE job_type = $1::text AND operation_key = $2::text AND claim_token = $3::uuid;
