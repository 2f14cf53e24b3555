# frozen_string_literal: true

require "sidekiq"
require "sidekiq-reliable-fetch"

# What a worker has in hand stays in Redis, so that a job does not die with it.
Sidekiq.configure_server do |config|
  config.options[:max_retries_after_interruption] = -1 # the guard makes it safe
  Sidekiq::ReliableFetch.setup_reliable_fetch!(config)
end
