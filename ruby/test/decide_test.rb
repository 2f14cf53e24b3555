# frozen_string_literal: true

require_relative "test_helper"

# The decision about a record, as a table and by the rules that hold for all of it.
class DecideTest < Minitest::Test
  LEASE = 60_000
  SETTLE = 10_000
  WINDOW = 86_400_000
  ONE = Twiceproof::Fingerprint.new("1", "body.amount")
  OTHER = Twiceproof::Fingerprint.new("2", "body.amount")
  NONE = Twiceproof::Fingerprint.new(nil, "")
  STALE = Twiceproof::Record.new(
    state: "claimed", token: "theirs", stale_ms: 0, acts: 1, given_up: false, vanished: 0, lookups: 0,
    policy: "lookup", fingerprint: ONE, reference: "", completion: "", hold_reason: "", known_ms: 0, repeat_due: false
  )

  def self.job(policy, **more)
    times = {"lookup" => {settle: 10}, "resend" => {reference_window: 86_400}}.fetch(policy, {})
    Twiceproof::JobDefinition.new(type: "j", lease: 60,
                                  stale_claim: Twiceproof::JobDefinition::StaleClaim.new(policy: policy, **times, **more))
  end

  LOOKUP = job("lookup")
  HOLD = job("hold")
  TWO = job("lookup", max_takeovers: 2, max_lookups: 2)
  RESEND = job("resend")
  DUPLICATE = job("accept_duplicate")
  MISS = job("accept_miss")

  {
    "completed" => [{state: "completed"}, ONE, LOOKUP, {step: :completed}],
    "completed, other print" => [{state: "completed"}, OTHER, LOOKUP, {step: :mismatch}],
    "completed, mine" => [{state: "completed", token: "mine"}, ONE, HOLD, {step: :completed}],
    "held" => [{state: "held"}, ONE, HOLD, {step: :held}],
    "held, other print" => [{state: "held"}, OTHER, HOLD, {step: :mismatch}],
    "live, other print" => [{stale_ms: -1}, OTHER, HOLD, {step: :mismatch}],
    "record without a print" => [{fingerprint: NONE}, OTHER, LOOKUP, {step: :take_over}],
    "message without one" => [{}, NONE, LOOKUP, {step: :take_over}],
    "print of other fields" => [{fingerprint: Twiceproof::Fingerprint.new("1", "body.x")}, OTHER, LOOKUP, {step: :take_over}],
    "mine, live" => [{token: "mine", stale_ms: -LEASE}, ONE, HOLD, {step: :act}],
    "mine, stale" => [{token: "mine", stale_ms: LEASE}, ONE, HOLD, {step: :act}],
    "live by 1 ms" => [{stale_ms: -1}, ONE, LOOKUP, {step: :live, wait_ms: 1}],
    "live, no doubt" => [{stale_ms: -1, acts: 0}, ONE, HOLD, {step: :live, wait_ms: 1}],
    "just stale, lookup" => [{}, ONE, LOOKUP, {step: :take_over}],
    "just stale, hold" => [{}, ONE, HOLD, {step: :hold, reason: "worker_vanished"}],
    "given up, hold" => [{given_up: true}, ONE, HOLD, {step: :hold, reason: "unknown_outcome"}],
    "no doubt, hold" => [{acts: 0, given_up: true}, ONE, HOLD, {step: :take_over}],
    "no doubt, budgets gone" => [{acts: 0, vanished: 99, lookups: 99}, ONE, LOOKUP, {step: :take_over}],
    "hold before, at the lease" => [{policy: "hold"}, ONE, LOOKUP, {step: :live, wait_ms: SETTLE}],
    "settle not over" => [{policy: "hold", stale_ms: SETTLE - 1}, ONE, LOOKUP, {step: :live, wait_ms: 1}],
    "settle just over" => [{policy: "hold", stale_ms: SETTLE}, ONE, LOOKUP, {step: :take_over, extra_ms: SETTLE}],
    "hold before, no doubt" => [{policy: "hold", acts: 0}, ONE, LOOKUP, {step: :take_over}],
    "5th vanished" => [{vanished: 4}, ONE, LOOKUP, {step: :take_over}],
    "6th vanished" => [{vanished: 5}, ONE, LOOKUP, {step: :hold, reason: "max_takeovers"}],
    "5 vanished, 1 given up" => [{vanished: 5, given_up: true}, ONE, LOOKUP, {step: :take_over}],
    "own budget, 3rd vanished" => [{vanished: 2}, ONE, TWO, {step: :hold, reason: "max_takeovers"}],
    "4 look-ups" => [{lookups: 4}, ONE, LOOKUP, {step: :take_over}],
    "5 look-ups" => [{lookups: 5}, ONE, LOOKUP, {step: :hold, reason: "max_lookups"}],
    "own budget, 2 look-ups" => [{lookups: 2}, ONE, TWO, {step: :hold, reason: "max_lookups"}],
    "resend, within the window" => [{known_ms: WINDOW - LEASE}, ONE, RESEND, {step: :take_over}],
    "resend, 1 ms too late" => [{known_ms: WINDOW - LEASE + 1}, ONE, RESEND, {step: :hold, reason: "reference_window"}],
    "resend, late, no doubt" => [{known_ms: 2 * WINDOW, acts: 0}, ONE, RESEND, {step: :take_over}],
    "accept_duplicate, 1 act" => [{}, ONE, DUPLICATE, {step: :take_over}],
    "accept_duplicate, 2 acts" => [{acts: 2}, ONE, DUPLICATE, {step: :hold, reason: "max_acts"}],
    "accept_miss" => [{}, ONE, MISS, {step: :assume}],
    "accept_miss, no doubt" => [{acts: 0}, ONE, MISS, {step: :take_over}],
    "accept_miss, 6th gone" => [{vanished: 5}, ONE, MISS, {step: :hold, reason: "max_takeovers"}]
  }.each do |name, (change, print, job, want)|
    define_method("test_decide: #{name}") do
      assert_equal Twiceproof::Decision.new(**want), Twiceproof::Decide.about(STALE.with(**change), "mine", print, job)
    end
  end

  {
    "completed" => [{state: "completed"}, {step: :completed}], "held" => [{state: "held"}, {step: :held}],
    "live" => [{stale_ms: -1}, {step: :live, wait_ms: 1}], "stale" => [{}, {step: :hold, reason: "mode_changed"}],
    "no doubt" => [{acts: 0}, {step: :hold, reason: "mode_changed"}], "other print" => [{fingerprint: OTHER}, {step: :mismatch}]
  }.each do |name, (change, want)|
    define_method("test_decide_own_row: #{name}") do
      assert_equal Twiceproof::Decision.new(**want), Twiceproof::Decide.about_own_row(STALE.with(**change), ONE)
    end
  end

  RANGES = [%w[claimed completed held], %w[mine theirs], [-1, 0, SETTLE - 1, SETTLE], [0, 1, 2], [true, false], [0, 5, 9],
            [0, 5], %w[lookup hold], [0, WINDOW], [ONE, OTHER], [LOOKUP, HOLD, RESEND, DUPLICATE, MISS]].freeze

  # Every combination.
  def test_rules
    seen = RANGES.first.product(*RANGES.drop(1)).map { |combination| step_of(*combination) }

    assert_equal %i[act assume completed held hold live mismatch take_over], seen.uniq.sort
  end

  def step_of(state, token, stale, acts, given_up, vanished, lookups, policy, known, print, job)
    record = STALE.with(state: state, token: token, stale_ms: stale, acts: acts, given_up: given_up, vanished: vanished,
                        lookups: lookups, policy: policy, known_ms: known)
    decision = Twiceproof::Decide.about(record, "mine", print, job)
    decided = [(:mismatch if print == OTHER), (state.to_sym if state != "claimed"), (:act if token == "mine")].compact.first
    decided ? assert_equal(decided, decision.step) : check(record, decision)
    decision.step
  end

  def check(record, decision)
    live = decision.step == :live

    assert_equal live, decision.wait_ms.positive?
    assert live || record.stale_ms >= 0
    refute live && record.stale_ms >= SETTLE
    assert_includes %i[live take_over], decision.step if record.acts.zero?
    refute_empty decision.reason if decision.step == :hold
  end

  def test_look_up_pause
    short = LOOKUP.dup
    short.stale_claim = Twiceproof::JobDefinition::StaleClaim.new(policy: "lookup", settle: 0.003)

    assert_equal([1, 2, 32, 60, 60], [0, 1, 5, 6, 99].map { |n| Twiceproof::Decide.look_up_pause_ms(n, short) / 1000 })
    assert_equal SETTLE, Twiceproof::Decide.look_up_pause_ms(0, LOOKUP)
  end
end
