# frozen_string_literal: true

require_relative "queue"

# The application's own way of putting the job on: ruby enqueue.rb ORDER
class ChargeJob < ActiveJob::Base
end

ChargeJob.perform_later(ARGV.fetch(0), 1250, "EUR")
