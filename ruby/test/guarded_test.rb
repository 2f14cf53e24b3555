# frozen_string_literal: true

require "timeout"
require_relative "test_helper"
require_relative "applications"

# What a shutdown raises in every thread.
class Shutdown < Interrupt; end

# What the tests of a guard have in common.
class GuardedTest < Minitest::Test
  make_my_diffs_pretty!

  @number = 0
  class << self
    # Each test has job types of its own.
    def next_type
      number = GuardedTest.instance_variable_get(:@number) + 1
      GuardedTest.instance_variable_set(:@number, number)
      "guarded.#{name}.#{number}"
    end
  end

  def setup
    @guards = []
  end

  def teardown
    @guards.each(&:close)
    @app&.close
  end

  def job(policy = nil, lease: 60, key: "args[0]", **stale)
    given = policy ? {policy: policy, **stale} : {}
    stale_claim = Twiceproof::JobDefinition::StaleClaim.new(**given)
    Twiceproof::JobDefinition.new(
      type: @type, queue: "sidekiq", longest_run: Rational(1, 2), lease: lease, stale_claim: stale_claim,
      operation: Twiceproof::JobDefinition::Operation.new(key: [Twiceproof::Path.parse(key)]),
      effect: Twiceproof::JobDefinition::Effect.new(kind: policy ? "outside" : "own_row")
    )
  end

  def guard(database, job, **more)
    made = Twiceproof::Guard.new(-> { database.connect }, job, log: Logger.new(nil), **more)
    @guards << made
    made
  end

  # A class of jobs behind this guard, whose perform is the block. Own rows go over the application's connection.
  def job_class(guard, of: Object, worker: false, **settings, &perform)
    type = @type
    made = Class.new(of) do
      include Sidekiq::Worker if worker
      include Twiceproof::Job
      twiceproof(type, **settings)
      define_method(:perform, &perform)
    end
    made.twiceproof_settings.instance_variable_set(:@guards, Hash.new(guard))
    made
  end

  # As Sidekiq's processor does it, with the message at the broker.
  def deliver_job(made, *args)
    worker = made.new
    payload = {"class" => "AJob", "args" => args, "jid" => "1", "queue" => "default"}
    Twiceproof::SidekiqMiddleware.new.call(worker, payload, "default") { worker.perform(*args) }
  end

  def delivery(key = "1")
    Twiceproof::Delivery.new(fields: {"args" => [key]}, message: "[1]")
  end

  def record(database, key = "1")
    row = database.record(@type, key, %w[state acts given_up])
    row && [row[0], row[1].to_i, %w[1 t].include?(row[2].to_s)]
  end
end
