package main

const repeatsHelp = `Find past repeats of a job's effect, and say from their timing what may have repeated
it. It only reads: files, or a table in a session that cannot write.

A source shows events: rows, log lines, calls. Name the column (in JSON lines the field,
in a pattern the named group) that names the business operation with --reference, and the
one that says when it happened with --time. Events with the same reference, byte for byte,
are one operation; each one after the first is a repeat.

Sources, one kind at a time; files may be gzipped, - is standard input:

  --csv FILE      with a row that names the columns; , ; tab or | between them
  --jsonl FILE    one JSON object a line; a.b is a field within a field
  --log FILE      with --pattern: sidekiq, celery, json, or a regular expression with
                  (?P<reference>…), (?P<time>…) and perhaps (?P<message>…)
  --table NAME    of the database of --dsn or DATABASE_URL

More columns make the answer better: --message-id tells a message that came again from one
that was enqueued again; --fingerprint names what must not differ between two deliveries
of one operation, such as the amount; --key checks an operation key against what happened.
--queue, --visibility-timeout, --deploys and --git-log say what could be the cause.

What is printed holds no value of your data, unless you say --show. --share writes a
report to send on, which never does. --query prints the query instead, to run yourself.

Each class has a fixed threshold, and what a repeat could be as well is said beside it.
Timing is evidence, not proof.

Exit status: 0 no repeats; 1 there are; 2 usage or environment; 3 there are none, but
this source could not show them; 130 interrupted.`

const repeatsExamples = `  twiceproof repeats --csv charges.csv.gz --reference order_id --time created_at
  twiceproof repeats --table charges --reference order_id --time created_at --message-id job_id
  twiceproof repeats --log worker.log --log worker.log.1.gz --pattern sidekiq --queue sidekiq
  twiceproof repeats --query --dialect bigquery --table app.charges --reference order_id --time created_at`
