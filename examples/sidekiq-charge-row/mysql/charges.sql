-- The application's own table. It has no unique key: the guard must do without.
CREATE TABLE charges (
  id           BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
  order_id     VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  amount_cents BIGINT      NOT NULL,
  currency     CHAR(3)     NOT NULL
);
