# frozen_string_literal: true

require "active_record"
require "sidekiq"
require_relative "../../examples/sidekiq-charge/payments"

ActiveRecord::Base.establish_connection(ENV.fetch("DATABASE_URL"))

class Order < ActiveRecord::Base
end

# Charges an order under the lock of its row, and notes there that it is charged.
class ChargeJob
  include Sidekiq::Job

  def perform(id, amount_cents, currency)
    Order.insert({id: id}) # where an application has it already
    order = Order.find(id)
    order.with_lock do
      next if order.charged_at

      Payments.charge(id, amount_cents, currency)
      order.update!(charged_at: Time.now)
    end
  end
end
