# frozen_string_literal: true

require_relative "test_helper"
require_relative "scenarios"

# The controls of the scenarios: a statement that is wrong on purpose is seen by its scenario.
class ControlsTest < Minitest::Test
  WRONG = {
    "complete" => [/AND claim_token = \S+/, "AND (1 = 1)", "late: the taker is still at work"],
    "take_over" => [/AND acts = \S+/, "AND 1 = 1", "races: a taker, and an earlier taker acts once more: counted"],
    "release" => [/acts - 1/, "acts - 0", "release: released, then done at once, under lookup without a look-up"],
    "give_up" => [/AND NOT given_up/, "", "lost: give_up after a look-up, reply: counted once"],
    "seal_own_row" => [/.*/m, "SELECT 'no seal'", "own_row: a body that rolls back and begins another transaction"]
  }.freeze

  # A prepended module cannot be taken away, so it asks.
  module Mistake
    class << self
      attr_accessor :verb, :change
    end

    def text(dialect, verb)
      right = super
      verb == Mistake.verb ? Mistake.change.call(right) : right
    end
  end
  Twiceproof::Statements.prepend(Mistake)

  def teardown
    Mistake.verb = nil
  end

  WRONG.each do |verb, (from, to, name)|
    define_method("test_control: #{verb}") do
      scenario = Scenario.all.find { |s| s.name == name }
      play(scenario, "right.#{verb}")
      Mistake.verb = verb
      Mistake.change = ->(right) { right.sub(from, to).tap { |wrong| refute_equal right, wrong } }
      assert_raises(Minitest::Assertion) { play(scenario, "wrong.#{verb}") }
    end
  end

  def play(scenario, job_type)
    world = World.new(TestDatabase.named("sqlite"), job_type)
    world.play(scenario)
  ensure
    world.close
  end
end
