-- One page of the job's records in key order: how many there are and its last one; those
-- that are old enough to be deleted, and of these all but the evidence, unless that is
-- asked for, with the range that they are in.
SELECT count(*), max(operation_key), coalesce(sum(CASE WHEN old THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN old AND due THEN 1 ELSE 0 END), 0),
       min(CASE WHEN old AND due THEN operation_key END), max(CASE WHEN old AND due THEN operation_key END)
FROM (
  SELECT operation_key,
         state = 'completed' AND TIMESTAMPDIFF(MICROSECOND, completed_at, UTC_TIMESTAMP(6)) DIV 1000 >= ?4 AS old,
         (?5 = 1 OR completion NOT IN ('assumed', 'resolved') AND late_finish_at IS NULL) AS due
  FROM idempotency_records
  WHERE job_type = ?1 AND operation_key > ?2
  ORDER BY operation_key LIMIT ?3
) AS page;
