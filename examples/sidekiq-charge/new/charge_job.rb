# frozen_string_literal: true

require "twiceproof/sidekiq"
require_relative "../database"
require_relative "../payments"

Twiceproof.configure do |config|
  config.job_file = ENV.fetch("TWICEPROOF_FILE", "twiceproof.yaml")
  config.connect = -> { Database.connect }
end

# Charges an order once, however often the job comes.
class ChargeJob
  include Sidekiq::Job
  include Twiceproof::Job

  twiceproof "charge.create",
             look_up: ->(operation) { Payments.charged?(operation.reference) },
             not_applied: [Errno::ECONNREFUSED]

  def perform(order_id, amount_cents, currency)
    operation.check
    Payments.charge(order_id, amount_cents, currency, reference: operation.reference, timeout: operation.remaining)
  end
end
