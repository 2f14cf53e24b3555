-- Marks the claim's transaction, so that the seal can tell it from another one.
SAVEPOINT twiceproof_own_row;
