-- What a repeat is to be answered with, in the claim's transaction.
UPDATE idempotency_records SET result = ?4
WHERE job_type = ?1 AND operation_key = ?2 AND claim_token = ?3;
