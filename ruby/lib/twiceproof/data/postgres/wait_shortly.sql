-- For a transaction that deletes: a row that somebody else holds is left for another time.
SET LOCAL lock_timeout = '1s';
