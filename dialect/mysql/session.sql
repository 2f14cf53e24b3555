-- What this connection is set to: whether a statement alone is a transaction; whether
-- the table has its unique key, without which ON DUPLICATE KEY says nothing; and after
-- how many seconds the server ends a transaction whose client is silent, does not take
-- what is sent to it, or waits for one statement (0: never).
SELECT @@autocommit,
       EXISTS (SELECT 1 FROM information_schema.statistics
               WHERE CONCAT(table_schema, '.', table_name) = IF('idempotency_records' LIKE '%.%', 'idempotency_records', CONCAT(DATABASE(), '.', 'idempotency_records'))
                 AND non_unique = 0
               GROUP BY index_name HAVING GROUP_CONCAT(column_name ORDER BY column_name) = 'job_type,operation_key'),
       @@wait_timeout, @@net_write_timeout,
       CAST(/*M! @@max_statement_time */ /*!80000 @@max_execution_time / 1000 */ AS SIGNED);
