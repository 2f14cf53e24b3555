-- Past repeats: one line for each event after a reference's first, and how long after
-- the event before it came. It only reads.
-- {{.Checked}}
WITH events AS (
  SELECT {{.Reference}} AS reference, {{.Time}} AS happened_at,
    lag({{.Time}}) OVER (PARTITION BY {{.Reference}} ORDER BY {{.Time}}) AS previous_at,
    row_number() OVER (PARTITION BY {{.Reference}} ORDER BY {{.Time}}) AS event_number,
    count(*) OVER (PARTITION BY {{.Reference}}) AS events_of_reference
  FROM {{.Table}}
  WHERE {{.Reference}} IS NOT NULL AND {{.Time}} IS NOT NULL
)
SELECT reference, event_number, events_of_reference, previous_at, happened_at,
  extract(epoch FROM happened_at - previous_at) AS gap_seconds
FROM events
WHERE event_number > 1
ORDER BY events_of_reference DESC, reference, event_number
