-- The application's own table. It has no unique key: the guard must do without.
CREATE TABLE charges (
  id           bigserial PRIMARY KEY,
  order_id     text      NOT NULL,
  amount_cents bigint    NOT NULL,
  currency     text      NOT NULL
);
