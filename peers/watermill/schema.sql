CREATE TABLE seen (key bytea PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
