-- Past repeats: one line for each event after a reference's first, and how long after
-- the event before it came. It only reads.
-- References are told apart byte for byte, whatever the collation says.
-- The time column is text such as 2026-03-04 05:06:07, or a Julian day.
-- {{.Checked}}
WITH events AS (
  SELECT {{.Reference}} AS reference, {{.Time}} AS happened_at,
    lag({{.Time}}) OVER (PARTITION BY CAST({{.Reference}} AS BLOB) ORDER BY {{.Time}}) AS previous_at,
    row_number() OVER (PARTITION BY CAST({{.Reference}} AS BLOB) ORDER BY {{.Time}}) AS event_number,
    count(*) OVER (PARTITION BY CAST({{.Reference}} AS BLOB)) AS events_of_reference
  FROM {{.Table}}
  WHERE {{.Reference}} IS NOT NULL AND {{.Time}} IS NOT NULL
)
SELECT reference, event_number, events_of_reference, previous_at, happened_at,
  round((julianday(happened_at) - julianday(previous_at)) * 86400, 3) AS gap_seconds
FROM events
WHERE event_number > 1
ORDER BY events_of_reference DESC, reference, event_number
