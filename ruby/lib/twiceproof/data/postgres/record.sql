-- One operation's record as a person is shown it: times in microseconds since 1970,
-- and for how many milliseconds it has been held and its claim has been stale.
SELECT operation_key, state, replace(claim_token::text, '-', ''), policy, hold_reason, (extract(epoch FROM held_at) * 1000000)::bigint,
       floor(extract(epoch FROM statement_timestamp() - held_at) * 1000)::bigint,
       floor(extract(epoch FROM statement_timestamp() - claimed_at) * 1000)::bigint - lease_ms,
       claimed_by, (extract(epoch FROM first_claimed_at) * 1000000)::bigint, acts, vanished, lookups, requeues, reference,
       (extract(epoch FROM late_finish_at) * 1000000)::bigint, octet_length(message),
       completion, (extract(epoch FROM completed_at) * 1000000)::bigint, resolved_by, resolution
FROM idempotency_records
WHERE job_type = $1::text AND operation_key = $2::text;
