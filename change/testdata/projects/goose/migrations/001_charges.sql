-- +goose Up
CREATE TABLE charges (order_id VARCHAR(100) NOT NULL);

-- +goose Down
DROP TABLE charges;
