# frozen_string_literal: true

require_relative "test_helper"
require_relative "sidekiq_steps"

# Guarded jobs in Sidekiq's own processes, on a real Redis; each with what the same job does without the guard.
class SidekiqTest < Minitest::Test
  include SidekiqSteps
  make_my_diffs_pretty!

  test_on_each("repeats act once") do
    key = start
    text = push("ChargeJob", key, "well")
    till.wait("after", key)
    till.until("completed") { record("charge.create", key, "state") == ["completed"] }
    @world.push_text(text)
    push("ChargeJob", key, "well")
    till.wait("skipped", key, 2)

    assert_equal 1, till.count("charge", key)
    assert_equal ["completed", "acted", nil], record("charge.create", key, "state", "completion", "message")
  end

  test_on_each("a row in the job's own database") do
    key = start
    push("BookingJob", key, "well")
    push("BookingJob", key, "well")
    push("BookingJob", key, "well")
    till.until("done or put back") { till.count("after", key) + till.count("skipped", key) + till.count("put_back", key) == 3 }
    till.until("committed") { rows(key) == 2 }

    assert_equal 1, till.count("charge", key)
    assert_equal ["completed"], record("booking.create", key, "state")
  end

  def test_control_repeats_without_the_guard
    key = start
    2.times { push("PlainJob", key, "well") }
    till.wait("after", key, 2)

    assert_equal 2, till.count("charge", key)
  end

  # The same payload is in the schedule until the lease is over, and nobody counts it: no retry, no batch.
  test_on_each("a live claim is put back") do
    key, open = held_at("before")
    push("ChargeJob", key, "well")
    till.wait("before", key)
    began = Time.now.to_f
    text = push("ChargeJob", key, "well", bid: "a batch", expires_in: 1, expiry: began - 1, retry_count: 1)
    back = till.wait("put_back", key)
    (member, at), = @world.waiting("schedule", text)

    assert_equal JSON.parse(text).except("expires_in", "expiry"), JSON.parse(member)
    assert_includes began..Time.now.to_f, at - back["countdown"]
    assert_includes 10..26, back["countdown"]
    assert_match(/another worker has the claim/, back["reason"])
    open << true
    till.wait("after", key)
    till.until("completed") { record("charge.create", key, "state") == ["completed"] }
    @world.due("schedule", text)
    till.wait("skipped", key)
    till.wait("success", jid(text))

    assert_equal [1, 0, 1], [till.count("charge", key), till.count("failure", jid(text)), till.count("success", jid(text))]
  end

  def test_control_two_at_once_without_the_guard
    key, open = held_at("before", 2)
    2.times { push("PlainJob", key, "well") }
    till.wait("before", key, 2)
    2.times { open << true }
    till.wait("after", key, 2)

    assert_equal 2, till.count("charge", key)
  end

  # By Sidekiq's own scheduler, with jobs behind it that are not held up.
  def test_put_back_comes_again_by_itself
    key, open = held_at("before")
    push("QuickJob", key, "well")
    till.wait("before", key)
    text = push("QuickJob", key, "well")
    till.wait("put_back", key)
    healthy = Array.new(10) { @world.next_key.tap { |other| push("ChargeJob", other, "well") } }
    healthy.each { |other| till.wait("after", other) }
    open << true
    till.wait("skipped", key)

    assert_equal 1, till.count("charge", key)
    assert_operator till.count("put_back", key), :<, 10
    assert_equal 1, till.count("subclass", key)
    assert @world.lost?(text), "it is done, and waits nowhere"
  end

  if SidekiqWorld::VERSION >= Gem::Version.new("7")
    def test_in_a_capsule_of_its_own
      key, open = held_at("before")
      push("ChargeJob", key, "well")
      till.wait("before", key)
      text = push("ChargeJob", key, "well", queue: "aside")
      till.wait("put_back", key)

      assert_equal JSON.parse(text), JSON.parse(@world.waiting("schedule", text)[0][0])
      open << true
      till.wait("after", key)
      till.until("completed") { record("charge.create", key, "state") == ["completed"] }
      @world.due("schedule", text, "aside")
      till.wait("skipped", key)

      assert_equal 1, till.count("charge", key)
    end
  end

  # Under hold nobody acts again; nothing is retried, and a batch does not take it for done.
  def test_held_for_a_person
    key = start
    text = mail(key, "late_raise")
    @world.due("retry", text)
    till.wait("held", key)
    till.until("ended") { @world.lost?(text) }

    assert_equal %w[held unknown_outcome], record("mail.send", key, "state", "hold_reason")
    assert_equal [1, 1, 0, 0], [till.count("charge", key), till.count("failure", jid(text)), till.count("success", jid(text)),
                                till.count("after_perform", key)]
    till.until("it is logged") { @world.log.include?("mail.send: held for a person: key #{key}") }
  end

  # ActiveJob: hash and keyword arguments, its wrapper, its callbacks.
  def test_active_job
    key, open = held_at("before")
    mail(key, "well")
    till.wait("before", key)
    text = mail(key, "well")
    till.wait("put_back", key)

    assert_equal JSON.parse(text), JSON.parse(@world.waiting("schedule", text)[0][0])
    assert_equal 0, till.count("after_perform", key)
    open << true
    till.wait("after_perform", key)
    @world.due("schedule", text)
    till.wait("skipped", key)

    assert_equal 1, till.count("charge", key)
  end

  test_on_each("rows of a body that raises are rolled back") do
    key = start
    text = push("BookingJob", key, "late_raise")
    till.until("retried") { @world.waiting("retry", text).any? }

    assert_equal [0, nil], [rows(key), record("booking.create", key, "state")]
  end

  test_on_each("a second delivery during the transaction is put back") do
    key, open = held_at("charge")
    push("BookingJob", key, "well")
    till.wait("charge", key)
    text = push("BookingJob", key, "well")
    till.wait("put_back", key)
    open << true
    till.until("committed") { rows(key) == 2 }
    @world.due("schedule", text)
    till.wait("skipped", key)

    assert_equal [1, 2], [till.count("charge", key), rows(key)]
  end

  def test_transaction_in_a_block
    key = start
    2.times do |n|
      push("BlockJob", key, "well")
      till.wait("outside", key, 2 * (n + 1))
    end

    assert_equal [1, 4, 2], [till.count("charge", key), till.count("outside", key), rows(key)]
    forgotten = push("BlockJob", @world.next_key, "forgets")

    assert_equal "Twiceproof::RefusedError", error_of(forgotten)
  end

  # Run by another job: guarded as well, and never put on a queue.
  def test_perform_inline_within_a_job
    key, open = held_at("before")
    push("ChargeJob", key, "well")
    till.wait("before", key)
    push("InlineJob", key)
    till.wait("not_acted", key)
    open << true
    till.wait("after", key)

    assert_equal [1, 0], [till.count("charge", key), till.count("put_back", key)]
  end
end
