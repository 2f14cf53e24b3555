# frozen_string_literal: true

require_relative "sidekiq_world"

# What the tests of Sidekiq's processes do to a job, each with a key of its own.
module SidekiqSteps
  DATABASES = %w[postgres mysql].freeze

  def self.included(test)
    test.extend(OnEach)
  end

  # One test on each database.
  module OnEach
    def test_on_each(what, databases = DATABASES, &body)
      databases.each do |name|
        define_method("test_#{what}: #{name}") do
          @world = SidekiqWorld.of(name)
          instance_exec(&body)
        end
      end
    end
  end

  def setup
    @world = SidekiqWorld.of("postgres")
  end

  def till
    @world.till
  end

  def start
    @world.worker
    @world.next_key
  end

  # A key, and what lets its next so many deliveries on at this step.
  def held_at(step, times = 1)
    key = start
    open = Queue.new
    held = 0
    till.at(step, key) { open.pop if (held += 1) <= times }
    [key, open]
  end

  def push(*args, **more)
    @world.push(*args, **more)
  end

  def mail(key, mode, job = "MailJob", **more)
    @world.push_mail(job, key, mode, **more)
  end

  # Puts it on the queue again as often as it is put back, until the settle time is over.
  def settle(text, key)
    till.until("looked up") do
      @world.due("schedule", text) if @world.waiting("schedule", text).any?
      till.count("look_up", key).positive?
    end
  end

  # Once it waits for a retry.
  def error_of(text)
    JSON.parse(till.until("failed") { @world.waiting("retry", text).first }[0])["error_class"]
  end

  def record(job, key, *columns)
    @world.record(job, key, *columns)
  end

  def stored(key)
    JSON.parse(record("charge.create", key, "message")[0])
  end

  def rows(key)
    @world.database.effects("booking.create", key)
  end

  def jid(text)
    JSON.parse(text)["jid"]
  end
end
