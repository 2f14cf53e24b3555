# frozen_string_literal: true

require_relative "guarded_test"

# When the lease is over, nothing is begun any more.
class DeadlineTest < GuardedTest
  def sqlite
    @type = self.class.next_type
    TestDatabase.named("sqlite")
  end

  def test_deadline
    guarded = guard(sqlite, job("hold", lease: 1))
    result = guarded.run(delivery) do |op|
      assert_operator op.remaining, :<=, 1
      sleep 0.05 until op.late?
      assert_equal 0, op.remaining
      op.check
      flunk
    end

    assert_equal [:released, Twiceproof::DeadlinePassed], [result.outcome, result.error.class]
  end

  # The lease is longer than a full machine stands still.
  def test_renewal_moves_the_deadline_and_has_an_end
    guarded = guard(sqlite, job("hold", lease: 3))
    result = guarded.run(delivery) do |op|
      first = op.deadline
      sleep 0.05
      op.renew
      assert_operator op.deadline, :>, first
      assert_raises(Twiceproof::RenewError) { loop { sleep(0.2) && op.renew } }
      assert_in_delta 27, op.deadline - first, 1
    end

    assert_equal :completed, result.outcome
  end

  def test_what_is_late_is_not_renewed
    guarded = guard(sqlite, job("hold", lease: 1))
    result = guarded.run(delivery) do |op|
      sleep 0.05 until op.late?
      assert_raises(Twiceproof::RenewError) { op.renew }
    end

    assert_equal :completed, result.outcome # by the token: nobody took over
  end

  # The worker's wall clock is stepped between claim and completion. The control is the clock that counts.
  module Stepping
    attr_accessor :by

    def now(*)
      super + by.to_i
    end
  end
  [Time, Twiceproof::Clock].each { |clock| clock.singleton_class.prepend(Stepping) }

  %w[postgres mysql].product([-3600, 3600]).each do |name, by|
    define_method("test_a_wall_clock_that_steps: #{name}, #{by} s") do
      assert_includes 0.1..60, remaining_after(Time, name, by)
      refute_includes 0.1..60, remaining_after(Twiceproof::Clock, name, by)
    end
  end

  def test_a_row_that_is_late_is_not_committed
    guarded = guard(sqlite, job(lease: 1))
    @app = Application.named("bare sqlite")
    result = guarded.run_tx(@app.connection, delivery) do |op|
      @app.insert(@type, "1")
      sleep 0.05 until op.late?
    end

    assert_equal [:released, 0], [result.outcome, @app.database.effects(@type, "1")]
  end

  # The claim itself took as long as its lease, so nothing was acted: the next delivery acts at once.
  def test_the_act_is_not_entered_after_its_deadline
    database = sqlite
    result = slow(database, job("hold", lease: 1)).run(delivery) { flunk }

    assert_equal [:released, Twiceproof::DeadlinePassed], [result.outcome, result.error.class]
    assert_equal :completed, guard(database, job("hold")).run(delivery) { nil }.outcome
  end

  # An earlier attempt's effect may be out, so this is no release.
  def test_nobody_is_asked_after_the_deadline_of_a_takeover
    database = in_doubt
    result = slow(database, job("lookup", lease: 1, settle: 1), look_up: ->(_) { flunk }).run(delivery) { flunk }

    assert_equal [:given_up, ["claimed", 1, true]], [result.outcome, record(database)]
  end

  # The answer is too old to act upon.
  def test_a_look_up_that_ends_after_the_deadline
    database = in_doubt
    asked = lambda do |op|
      sleep 0.05 until op.late?
      false
    end
    result = guard(database, job("lookup", lease: 1, settle: 1), look_up: asked).run(delivery) { flunk }

    assert_equal [:given_up, Twiceproof::DeadlinePassed, 1], [result.outcome, result.error.class, record(database)[1]]
  end

  # By the end of the next lease the service may have forgotten what it knows the earlier attempt by.
  def test_no_renewal_beyond_the_reference_window
    database = sqlite
    guard(database, job("resend", reference_window: 600)).run(delivery) { raise "unknown" }
    database.change(@type, "1", "#{database.older("claimed_at", 120_000)}, #{database.older("first_claimed_at", 537_000)}")
    result = guard(database, job("resend", lease: 60, reference_window: 600)).run(delivery) do |op|
      sleep 0.05 until op.remaining < 56.9
      @error = assert_raises(Twiceproof::RenewError) { op.renew }
    end

    assert_equal [:completed, true], [result.outcome, @error.message.include?("forgotten the reference")]
  end

  private

  # Its first connection takes longer than the lease.
  def slow(database, job, **more)
    guarded = Twiceproof::Guard.new(-> { sleep(1.1) && database.connect }, job, log: Logger.new(nil), **more)
    @guards << guarded
    guarded
  end

  # A stale claim whose effect may be out.
  def in_doubt
    database = sqlite
    guard(database, job("hold")).run(delivery) { raise "unknown" }
    database.change(@type, "1", "policy = 'lookup', #{database.older("claimed_at", 120_000)}")
    database
  end

  def remaining_after(clock, name, by)
    @type = self.class.next_type
    guarded = guard(TestDatabase.named(name), job("hold"))
    left = nil
    result = guarded.run(delivery) do |op|
      left = stepped(clock, by) { op.remaining }
      stepped(Time, by) { op.renew }
      second = stepped(Time, by) { guarded.run(delivery) { flunk } }

      assert_equal :live, second.outcome
      assert_includes 0.1..60, second.retry_after
    end

    assert_equal :completed, result.outcome
    left
  end

  def stepped(clock, by)
    clock.by = by
    yield
  ensure
    clock.by = 0
  end
end
