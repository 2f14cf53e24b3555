-- For the time of an own row's transaction, and back after it. The limits bound how long
-- a stopped worker can keep the key: idle in the transaction, cut off while the server
-- sends to it (both in seconds), and within one statement (in milliseconds; MySQL bounds
-- SELECT only; strict servers refuse more than the longest). With autocommit off, what a
-- body writes after the server has rolled its transaction back (error 1213) waits in
-- another one, and is rolled back, too.
SET SESSION wait_timeout = ?1, SESSION net_write_timeout = ?2,
    SESSION /*M! max_statement_time */ /*!80000 max_execution_time */ = LEAST(?3, /*M! 31536000000 */ /*!80000 4294967295 */) /*M! / 1000 */,
    SESSION autocommit = ?4;
