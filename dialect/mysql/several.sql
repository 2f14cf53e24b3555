-- Whether BEGIN NOT ATOMIC and END make one statement of several, in one round trip and
-- with parameters: MariaDB since 10.6.2; MySQL has no such thing.
SELECT 0 /*M!100602 + 1 */;
