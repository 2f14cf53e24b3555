-- Rows, and then tables and named locks. The server's counter is as it is now; INNODB_TRX
-- is a copy, which is not made anew while it is read more than ten times a second.
SELECT (SELECT variable_value > 0
        FROM /*M! information_schema */ /*!80000 performance_schema */ .global_status
        WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS')
    OR EXISTS (SELECT 1 FROM information_schema.processlist
               WHERE db = DATABASE() AND (state LIKE 'Waiting for%lock' OR state = 'User lock'));
