# frozen_string_literal: true

# The application's own way of putting the job on: ruby enqueue.rb ORDER
require "sidekiq"

order = {"order_id" => ARGV.fetch(0), "amount_cents" => 1250, "currency" => "EUR"}
Sidekiq::Client.push("class" => "BookingJob", "args" => [order])
