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

  def job(policy = nil, lease: 60, **stale)
    stale_claim = policy ? Twiceproof::Job::StaleClaim.new(policy: policy, **stale) : Twiceproof::Job::StaleClaim.new
    Twiceproof::Job.new(
      type: @type, queue: "sidekiq", longest_run: Rational(1, 2), lease: lease, stale_claim: stale_claim,
      operation: Twiceproof::Job::Operation.new(key: [Twiceproof::Path.parse("args[0]")]),
      effect: Twiceproof::Job::Effect.new(kind: policy ? "outside" : "own_row")
    )
  end

  def guard(database, job, **more)
    made = Twiceproof::Guard.new(-> { database.connect }, job, log: Logger.new(nil), **more)
    @guards << made
    made
  end

  def delivery(key = "1")
    Twiceproof::Delivery.new(fields: {"args" => [key]}, message: "[1]")
  end

  def record(database, key = "1")
    row = database.record(@type, key, %w[state acts given_up])
    row && [row[0], row[1].to_i, %w[1 t].include?(row[2].to_s)]
  end
end
