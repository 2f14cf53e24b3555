# frozen_string_literal: true

require "active_job"
require "sidekiq"

ActiveJob::Base.queue_adapter = :sidekiq
