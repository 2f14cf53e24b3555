# frozen_string_literal: true

require "sidekiq"
require_relative "../receipt"

# Mails a receipt. A job that comes twice mails twice.
class ReceiptJob
  include Sidekiq::Job

  def perform(order_id, to)
    Receipt.deliver(order_id, to)
  end
end
