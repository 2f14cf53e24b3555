# frozen_string_literal: true

require_relative "test_helper"
require_relative "sidekiq_crashes"

# Workers that are killed, stopped or cut off from Redis in the middle of a job. Each test has its own queue and
# workers, whose start takes a second; so some are with TWICEPROOF_FULL only.
class SidekiqCrashTest < Minitest::Test
  include SidekiqCrashes
  make_my_diffs_pretty!
  FULL = ENV.fetch("TWICEPROOF_FULL", nil)

  # SIGKILL loses the message. The record of the claim has it, and the same text put back is followed by the policy.
  KILLED = [%w[postgres before], %w[postgres charge], %w[mysql charge], *(FULL && [%w[mysql before]])].freeze
  KILLED.each do |name, step|
    define_method("test_killed: #{name}, #{step}") do
      start(name)
      text = killed_at(step, "ChargeJob")
      acted = till.count("charge", @key)

      assert @world.lost?(text, @queue), "OSS Sidekiq has lost it"
      assert_equal JSON.parse(text), JSON.parse(@world.record("charge.create", @key, "message")[0])
      till.at("look_up", @key) { acted == 1 }
      come_back(text)
      till.until("completed") { @world.record("charge.create", @key, "state") == ["completed"] }

      till.wait("taken_over", @key)

      assert_equal 1, till.count("charge", @key)
    end
  end

  def test_control_killed_without_the_guard
    start("postgres")
    text = killed_at("charge", "PlainJob")
    @world.push_text(text, @queue)
    worker
    till.wait("charge", @key, 2)
  end

  # The row and its record are gone together, so the next delivery simply acts.
  ["postgres", *(FULL && "mysql")].each do |name|
    define_method("test_killed_in_its_transaction: #{name}") do
      start(name)
      text = killed_at("charge", "BookingJob")
      @world.push_text(text, @queue)
      worker
      till.wait("charge", @key, 2)
      till.until("committed") { @world.database.effects("booking.create", @key) == 2 }

      assert_equal ["completed"], @world.record("booking.create", @key, "state")
    end
  end

  # Sidekiq pushes the job back and raises in its thread. The client makes another error of that: still no retry.
  def test_shut_down_during_the_body
    start("postgres")
    pid = worker("-t", "1")
    till.at("look_up", @key) { true }
    text = push("ChargeJob", "late_sleep")
    till.wait("charge", @key)
    @world.kill(pid, :TERM)

    assert_equal [text], @world.queued(@queue)
    assert_empty @world.waiting("retry", text)
    assert_equal %w[claimed t], @world.record("charge.create", @key, "state", "given_up")
    @world.age("charge.create", @key)
    worker
    till.wait("taken_over", @key)
    till.until("completed") { @world.record("charge.create", @key, "completion") == ["found"] }

    assert_equal 1, till.count("charge", @key)
  end

  def test_control_shut_down_without_the_guard
    start("postgres")
    pid = worker("-t", "1")
    text = push("PlainJob", "late_sleep")
    till.wait("charge", @key)
    @world.kill(pid, :TERM)

    assert_equal [text], @world.queued(@queue)
    worker
    till.wait("charge", @key, 2)
  end

  def test_shut_down_in_its_transaction
    skip "with TWICEPROOF_FULL" unless FULL
    start("postgres")
    pid = worker("-t", "1")
    text = push("BookingJob", "late_sleep")
    till.wait("charge", @key)
    @world.kill(pid, :TERM)

    assert_equal [text], @world.queued(@queue)
    assert_equal [0, nil], [@world.database.effects("booking.create", @key), @world.record("booking.create", @key, "state")]
  end

  # The shutdown comes while the guard waits for the database, within its claim and within its completion.
  def test_shut_down_during_the_guards_own_statements
    start("postgres")
    pid = worker("-t", "1")
    text = nil
    locking("LOCK TABLE idempotency_records IN EXCLUSIVE MODE") do |other|
      text = push("ChargeJob", "well")
      till.until("it waits") { blocked?(other) }
      Process.kill(:TERM, pid)
      till.until("pushed back") { @world.queued(@queue) == [text] }
    end
    @world.ended(pid)
    state = @world.record("charge.create", @key, "acts")

    assert_includes [nil, ["0"], ["1"]], state
    till.at("look_up", @key) { false }
    @world.age("charge.create", @key)
    worker
    till.wait("after", @key)

    assert_equal 1, till.count("charge", @key)
  end

  # A paused worker is taken over, and comes back after that.
  def test_paused_and_taken_over
    start("postgres")
    pid = worker
    till.at("charge", @key) do # answered once it stands still
      Process.kill(:STOP, pid)
      Process.wait(pid, Process::WUNTRACED)
    end
    till.at("look_up", @key) { true }
    text = push("ChargeJob", "well")
    till.wait("charge", @key)
    @world.age("charge.create", @key)
    @world.push_text(text, @queue)
    worker
    till.wait("taken_over", @key)
    till.until("completed") { @world.record("charge.create", @key, "completion") == ["found"] }

    assert_equal 0, till.count("after", @key)
    Process.kill(:CONT, pid)
    till.wait("after", @key)
    till.until("a late finish") { @world.record("charge.create", @key, "late_finish_at") != [nil] }

    assert_equal [1, "completed"], [till.count("charge", @key), @world.record("charge.create", @key, "state")[0]]
    till.until("it is logged") { @world.log.include?("charge.create: lost claim, a second effect may exist: key #{@key}") }
  end

  # Redis is away when Sidekiq would write the retry. The record knows the case, and that surely nothing happened.
  def test_redis_away_when_the_retry_is_written
    world_of_its_own
    worker
    till.at("before", @key) { @world.stop_redis }
    text = push("ChargeJob", "early_refused")
    till.until("not acknowledged") { @world.log.include?("Internal exception!") }

    assert_equal %w[claimed 0], @world.record("charge.create", @key, "state", "acts")
    @world.start_redis
    till.at("before", @key) { nil }
    put_back = JSON.parse(@world.record("charge.create", @key, "message")[0])
    assert_equal JSON.parse(text), put_back
    @world.push_text(JSON.generate(put_back.merge("args" => [@key, "well"])), @queue)
    till.wait("after", @key)

    assert_equal [1, 0], [till.count("charge", @key), till.count("look_up", @key)]
  ensure
    @world.stop
  end

  # Nor can it be put back then: it goes Sidekiq's own way, and the claim's holder ends the operation.
  def test_redis_away_when_it_is_put_back
    skip "with TWICEPROOF_FULL" unless FULL
    world_of_its_own
    open = Queue.new
    till.at("before", @key) { open.pop }
    2.times { worker }
    push("ChargeJob", "well")
    till.wait("before", @key)
    locking("LOCK TABLE idempotency_records IN EXCLUSIVE MODE") do |other|
      push("ChargeJob", "well")
      till.until("it waits") { blocked?(other) }
      @world.stop_redis
    end
    till.until("not acknowledged") { @world.log.include?("Internal exception!") }
    open << true
    till.until("completed") { @world.record("charge.create", @key, "state") == ["completed"] }

    assert_equal [1, 0], [till.count("charge", @key), till.count("put_back", @key)]
  ensure
    @world&.start_redis
    @world&.stop
  end
end
