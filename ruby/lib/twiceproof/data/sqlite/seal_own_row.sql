-- The last statement before COMMIT: fails unless this is still the transaction of
-- the claim. A body that ended it, and perhaps began another, is caught here.
RELEASE twiceproof_own_row;
