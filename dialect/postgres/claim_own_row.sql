-- The first statement of the transaction that will hold claim, effect and
-- completion: nobody can see the state in between, so the record is born completed.
-- No row inserted means that it is there, or that another transaction is about to
-- make it: the advisory lock tells without waiting for that one's end. Two keys
-- with the same 64-bit hash can only seem busy, never both be claimed.
-- The settings bound how long a stopped worker can keep the key: idle in the
-- transaction, within one statement, and cut off while the server sends to it. Each
-- becomes the lease, unless the connection has a stricter one (0: none; the last one is
-- told in milliseconds, without a unit); none takes more than 2147483647 ms.
-- The lock timeout is for the claim only: the body may wait as it always did.
WITH setting AS MATERIALIZED (
  SELECT current_setting('lock_timeout') AS before, set_config('lock_timeout', '100', true),
         set_config('idle_in_transaction_session_timeout', least($8::bigint, 2147483647,
           nullif(extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval) * 1000, 0))::bigint::text, true),
         set_config('statement_timeout', least($8::bigint, 2147483647,
           nullif(extract(epoch FROM current_setting('statement_timeout')::interval) * 1000, 0))::bigint::text, true),
         set_config('tcp_user_timeout', least($8::bigint, 2147483647,
           nullif(current_setting('tcp_user_timeout')::bigint, 0))::text, true)
), free AS MATERIALIZED (
  SELECT pg_try_advisory_xact_lock(hashtextextended('idempotency_records' || chr(31) || $1::text || chr(31) || $2::text, 0)) AS ok FROM setting
)
INSERT INTO idempotency_records
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, claimed_by, first_claimed_at,
   fingerprint, fingerprint_fields, reference, completed_at, completion)
SELECT $1::text, $2::text, 'completed', $3::uuid, statement_timestamp(), 0, $4::text, statement_timestamp(),
       $5::bytea, $6::text, $7::text, statement_timestamp(), 'acted'
FROM free WHERE ok
ON CONFLICT (job_type, operation_key) DO NOTHING
RETURNING (SELECT pg_current_xact_id()::text FROM setting WHERE set_config('lock_timeout', before, true) = before);
