# frozen_string_literal: true

require "sidekiq"
require_relative "../payments"

# Charges an order. A job that comes twice charges twice.
class ChargeJob
  include Sidekiq::Job

  def perform(order_id, amount_cents, currency)
    Payments.charge(order_id, amount_cents, currency)
  end
end
