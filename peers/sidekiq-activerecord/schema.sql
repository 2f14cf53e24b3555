CREATE TABLE orders (id text PRIMARY KEY, charged_at timestamptz);
