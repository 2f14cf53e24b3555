-- How many of the job's records a page looks at, and where it ends.
SELECT count(*), max(operation_key) FROM (
  SELECT operation_key FROM idempotency_records
  WHERE job_type = ?1 AND operation_key > ?2
  ORDER BY operation_key LIMIT ?3
) AS page;
