# frozen_string_literal: true

require "twiceproof/sidekiq"
require_relative "../database"
require_relative "../receipt"

Twiceproof.configure do |config|
  config.job_file = ENV.fetch("TWICEPROOF_FILE", "twiceproof.yaml")
  config.connect = -> { Database.connect }
end

# Mails a receipt once, but for what the policy says of a worker that vanished.
class ReceiptJob
  include Sidekiq::Job
  include Twiceproof::Job

  twiceproof "receipt.mail", not_applied: [Errno::ECONNREFUSED]

  def perform(order_id, to)
    operation.check
    Receipt.deliver(order_id, to)
  end
end
