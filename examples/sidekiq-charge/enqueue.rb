# frozen_string_literal: true

# The application's own way of putting the job on: ruby enqueue.rb ORDER
require "sidekiq"

Sidekiq::Client.push("class" => "ChargeJob", "args" => [ARGV.fetch(0), 1250, "EUR"])
