# frozen_string_literal: true

require "sidekiq"
require_relative "../database"

# Books a charge. A job that comes twice books twice.
class BookingJob
  include Sidekiq::Job

  def perform(order)
    Charge.create!(order)
  end
end
