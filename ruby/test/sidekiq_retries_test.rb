# frozen_string_literal: true

require_relative "test_helper"
require_relative "sidekiq_steps"

# A body that raises: Sidekiq's retries, those of ActiveJob, and the dead set.
class SidekiqRetriesTest < Minitest::Test
  include SidekiqSteps
  make_my_diffs_pretty!

  # The worker came back after its lease, and its effect is there: the policy finds it.
  test_on_each("a body that raises is retried by Sidekiq, and looked up") do
    key = start
    till.at("look_up", key) { true }
    text = push("ChargeJob", key, "late_raise")
    member = @world.due("retry", text)

    assert_equal [0, "RuntimeError"], JSON.parse(member).values_at("retry_count", "error_class")
    settle(text, key)
    till.wait("taken_over", key)
    till.until("completed") { record("charge.create", key, "completion") == ["found"] }

    assert_equal 1, till.count("charge", key)
    assert_equal till.all("charge", key)[0]["reference"], till.all("look_up", key)[0]["reference"]
  end

  def test_control_a_retry_without_the_guard
    key = start
    @world.due("retry", push("PlainJob", key, "late_raise"))
    till.wait("charge", key, 2)
  end

  # The classes that mean "not applied" release the claim: the retry acts at once, without asking.
  def test_surely_not_applied
    %w[refused not_applied].each do |why|
      key = start
      text = push("ChargeJob", key, "early_#{why}")
      till.until("released") { @world.waiting("retry", text).any? }

      assert_equal ["claimed", "0", nil], record("charge.create", key, "state", "acts", "completion"), why
      @world.due("retry", text)
      till.wait("before", key, 2)

      assert_equal [0, 0], [till.count("look_up", key), till.count("put_back", key)], why
    end
  end

  # Neither is a success, before the effect or after it, and the next delivery does not wait for its own claim. A
  # middleware may catch what is thrown: then the record alone has the message.
  %w[early late].product(%w[throw exit]).each do |at, how|
    define_method("test_a_body_that_is_left_by_#{how}: #{at}") do
      key = start
      text = mail(key, "#{at}_#{how}", elsewhere: "caught")
      till.until("given up") { record("mail.send", key, "given_up") == ["t"] }

      assert_equal ["claimed", jid(text)], [record("mail.send", key, "state")[0],
                                            JSON.parse(record("mail.send", key, "message")[0])["jid"]]
      mail(key, "well")
      till.wait("held", key)

      assert_equal at == "late" ? 1 : 0, till.count("charge", key)
      assert_equal 0, till.count("after_perform", key)
    end
  end

  def test_a_body_that_throws_to_nobody
    key = start

    assert_equal "UncaughtThrowError", error_of(mail(key, "late_throw"))
    assert_equal [1, ["t"]], [till.count("charge", key), record("mail.send", key, "given_up")]
  end

  # Enqueued within a transaction that is committed later: nothing was applied, and the claim is free.
  def test_a_job_that_is_enqueued_before_its_row_is_committed
    key = start
    error = before_the_commit("OrderJob", key) { assert_equal %w[claimed 0], record("order.charge", key, "state", "acts") }

    assert_equal "ActiveRecord::RecordNotFound", error
    till.wait("after", key)
    till.until("completed") { record("order.charge", key, "state") == ["completed"] }

    assert_equal 1, till.count("charge", key)
  end

  # Nobody has said that this error means so.
  def test_control_an_error_that_is_not_declared_leaves_it_in_doubt
    key = start
    before_the_commit("UntoldOrderJob", key) { assert_equal %w[claimed 1], record("order.charge", key, "state", "acts") }
    till.wait("held", key)

    assert_equal 0, till.count("charge", key)
  end

  # The error class that Sidekiq and its blocks see is the job's own.
  def test_retries_exhausted_and_the_dead_set
    key = start
    text = push("ChargeJob", key, "early_refused", retry: 1)

    assert_equal "Errno::ECONNREFUSED", JSON.parse(@world.due("retry", text))["error_class"]
    assert_equal "Errno::ECONNREFUSED", till.wait("exhausted", key)["error"]
    till.until("dead") { @world.waiting("dead", text).any? }

    assert_empty @world.waiting("retry", text)
    assert_equal ["claimed", JSON.parse(text)["jid"]], [record("charge.create", key, "state")[0], stored(key)["jid"]]
    till.until("it is logged") { @world.log.include?("no retry is left, the record keeps the case: key #{key}") }
  end

  # By time instead of number.
  if SidekiqWorld::VERSION >= Gem::Version.new("7.1")
    def test_retries_exhausted_by_time
      key = start
      text = push("ChargeJob", key, "early_refused", retry_for: 1, retry_count: 3, failed_at: Time.now.to_f - 10)
      till.wait("exhausted", key)
      till.until("dead") { @world.waiting("dead", text).any? }
      till.until("it is logged") { @world.log.include?("no retry is left, the record keeps the case: key #{key}") }
    end
  end

  def test_without_retries_the_record_keeps_the_case
    key = start
    till.at("look_up", key) { false }
    text = push("ChargeJob", key, "late_raise", retry: false)
    till.wait("failure", jid(text))
    till.until("given up") { record("charge.create", key, "given_up") == ["t"] }

    assert @world.lost?(text)
    assert_equal JSON.parse(text), stored(key)
    @world.push_text(JSON.generate(stored(key).merge("args" => [key, "well"])))
    till.wait("after", key)
  end

  # A person takes it out of the dead set: the record is met, and nobody charges again.
  def test_retried_by_hand_from_the_dead_set
    key = start
    till.at("look_up", key) { true }
    text = push("ChargeJob", key, "late_raise", retry: 0)
    @world.due("dead", text)
    settle(text, key)
    till.until("completed") { record("charge.create", key, "completion") == ["found"] }

    assert_equal 1, till.count("charge", key)
  end

  def test_control_retried_by_hand_without_the_guard
    key = start
    @world.due("dead", push("PlainJob", key, "late_raise", retry: 0))
    till.wait("charge", key, 2)
  end

  # ActiveJob puts it on again as a new job of Sidekiq's: another jid, the same operation.
  def test_active_jobs_retry_on
    key = start
    text = mail(key, "early_refused", "RetriedMailJob")
    till.wait("before", key, 2)
    till.wait("gave_up", key)

    assert_equal(["Errno::ECONNREFUSED"], till.all("gave_up", key).map { |said| said["error"] })
    assert_equal [0, 0], [till.count("put_back", key), till.count("held", key)]
    assert_equal %w[claimed 0], record("mail.send", key, "state", "acts")
    assert_empty @world.waiting("retry", text)
  end

  # Its message is gone; the record has it, and the policy stands.
  def test_active_jobs_discard_on
    key = start
    text = mail(key, "late_raise", "RetriedMailJob")
    till.wait("success", jid(text))

    assert @world.lost?(text)
    assert_equal [%w[claimed t], 1], [record("mail.send", key, "state", "given_up"), till.count("charge", key)]
    mail(key, "well", "RetriedMailJob")
    till.wait("held", key)

    assert_equal 1, till.count("charge", key)
  end

  def test_active_job_in_the_dead_set
    key = start
    text = mail(key, "late_raise", retry: 0)
    @world.due("dead", text)
    till.wait("held", key)

    assert_equal [1, "held"], [till.count("charge", key), *record("mail.send", key, "state")]
  end

  private

  # Delivered before the order's row is committed, and once more after that. The first one's error.
  def before_the_commit(name, key)
    other = @world.database.connect
    other.exec("BEGIN")
    other.exec("INSERT INTO effects (job, item) VALUES ('order', '#{key}')")
    text = push(name, key)
    member = till.until("failed") { @world.waiting("retry", text).first }[0]
    yield
    other.exec("COMMIT")
    @world.due("retry", text)
    JSON.parse(member)["error_class"]
  ensure
    other.close
  end
end
