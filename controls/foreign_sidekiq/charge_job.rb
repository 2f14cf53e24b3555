# frozen_string_literal: true

require "digest"
require "pg"
require "sidekiq"
require_relative "../../examples/sidekiq-charge/payments"

# Charges an order once by a table of its own, under a lock of the order's.
class ChargeJob
  include Sidekiq::Job

  def perform(order_id, amount_cents, currency)
    connection = PG.connect(ENV.fetch("DATABASE_URL"))
    connection.transaction do
      # A worker that died after its charge has left no row, so the service is asked.
      reference = Digest::SHA256.hexdigest(order_id)
      if claim(connection, order_id) && !Payments.charged?(reference)
        Payments.charge(order_id, amount_cents, currency, reference: reference)
      end
    end
  ensure
    connection&.close
  end

  # Whether this delivery is the first of its order. While another worker has the order in
  # an open transaction, it waits.
  def claim(connection, order_id)
    connection.exec_params("SELECT pg_advisory_xact_lock(hashtext($1))", [order_id])
    return false if connection.exec_params("SELECT 1 FROM charged_orders WHERE order_id = $1", [order_id]).any?

    connection.exec_params("INSERT INTO charged_orders VALUES ($1)", [order_id])
    true
  end
end
