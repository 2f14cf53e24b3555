-- Bounds, in seconds, how long a stopped worker can keep the key of its own row: idle
-- in the transaction, cut off while the server sends to it, and within one statement
-- (which MySQL bounds for SELECT only, and in milliseconds).
SET SESSION wait_timeout = ?1, SESSION net_write_timeout = ?2,
    SESSION /*M! max_statement_time */ /*!80000 max_execution_time */ = ?3 /*!80000 * 1000 */;
