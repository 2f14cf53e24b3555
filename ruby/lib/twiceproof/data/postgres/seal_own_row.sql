-- The last statement before COMMIT: fails unless this is still the transaction of
-- the claim. A body that swallowed an error, or ended the transaction itself, is
-- caught here; COMMIT would answer a body's own COMMIT with success.
SELECT 1 / (CASE WHEN pg_current_xact_id_if_assigned()::text = $1::text THEN 1 ELSE 0 END);
