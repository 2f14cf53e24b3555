# frozen_string_literal: true

require_relative "../database"
require "twiceproof/sidekiq"

Twiceproof.configure { |config| config.job_file = ENV.fetch("TWICEPROOF_FILE", "twiceproof.yaml") }

# Books a charge once, however often the job comes: perform runs in the transaction that
# also holds the record.
class BookingJob
  include Sidekiq::Job
  include Twiceproof::Job

  twiceproof "charge.book"

  def perform(order)
    Charge.create!(order)
  end
end
