-- What this connection is set to: whether a statement alone is a transaction; whether
-- it reads what others have not committed; whether the table has its unique key, without
-- which ON DUPLICATE KEY says nothing, and no other one, on which it would answer with
-- another operation's record, and the key's columns are still bytes, of which no
-- collation takes two for one; whether its engine has transactions, without which an own
-- row's claim would stay when its transaction is rolled back; and after how long the server ends a transaction whose
-- client is silent, does not take what is sent to it (both in seconds), or waits for one
-- statement (in milliseconds; 0: never).
SELECT @@autocommit,
       /*M! @@tx_isolation */ /*!80000 @@transaction_isolation */ = 'READ-UNCOMMITTED',
       (SELECT COUNT(DISTINCT index_name) = 1 AND COUNT(sub_part) = 0
           AND GROUP_CONCAT(column_name ORDER BY column_name) = 'job_type,operation_key'
        FROM information_schema.statistics
        WHERE table_schema = IF('idempotency_records' LIKE '%.%', SUBSTRING_INDEX('idempotency_records', '.', 1), DATABASE())
          AND table_name = SUBSTRING_INDEX('idempotency_records', '.', -1) AND non_unique = 0)
       AND
       (SELECT COUNT(*) = 2
        FROM information_schema.columns
        WHERE table_schema = IF('idempotency_records' LIKE '%.%', SUBSTRING_INDEX('idempotency_records', '.', 1), DATABASE())
          AND table_name = SUBSTRING_INDEX('idempotency_records', '.', -1)
          AND column_name IN ('job_type', 'operation_key') AND data_type = 'varbinary'),
       EXISTS (SELECT 1
        FROM information_schema.tables t JOIN information_schema.engines e ON e.engine = t.engine
        WHERE t.table_schema = IF('idempotency_records' LIKE '%.%', SUBSTRING_INDEX('idempotency_records', '.', 1), DATABASE())
          AND t.table_name = SUBSTRING_INDEX('idempotency_records', '.', -1) AND e.transactions = 'YES'),
       @@wait_timeout, @@net_write_timeout,
       CAST(/*M! @@max_statement_time * 1000 */ /*!80000 @@max_execution_time */ AS SIGNED);
