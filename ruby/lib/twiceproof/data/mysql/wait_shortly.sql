-- For a transaction that deletes: a row that somebody else holds is left for another time.
SET SESSION innodb_lock_wait_timeout = 1;
