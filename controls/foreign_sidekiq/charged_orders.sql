CREATE TABLE charged_orders (order_id text);
