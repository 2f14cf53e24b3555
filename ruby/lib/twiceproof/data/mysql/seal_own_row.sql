-- The last statement before COMMIT: fails unless this is still the transaction of
-- the claim. A body that ended it, by COMMIT, by a nested BEGIN, by a statement that
-- commits by itself (DDL) or by an error that rolled it back, is caught here.
RELEASE SAVEPOINT twiceproof_own_row;
