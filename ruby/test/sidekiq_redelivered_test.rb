# frozen_string_literal: true

require_relative "test_helper"
require_relative "sidekiq_crashes"

# Jobs that come again after their worker has gone: from a reliable fetch, without their acknowledgement, in two
# copies, or to kill the next one.
class SidekiqRedeliveredTest < Minitest::Test
  include SidekiqCrashes
  make_my_diffs_pretty!
  FULL = ENV.fetch("TWICEPROOF_FULL", nil)
  RELIABLE = ["-e", "reliable_fetch"].freeze
  YEAR = 365 * 24 * 3600 * 1000

  # What the fetch is for, without the guard: a killed worker's job comes again by itself.
  def test_a_reliable_fetch_keeps_what_a_killed_worker_had
    reliable
    text = killed_with(RELIABLE, "before", "PlainJob")

    assert_equal [text], in_hand
    an_hour_later
    worker(*RELIABLE)
    till.wait("after", @key)

    assert_equal 1, till.count("charge", @key)
    till.until("acknowledged") { in_hand.empty? }
  end

  # What is put on later is done by the next worker, and the first one's job never comes.
  def test_control_the_basic_fetch_loses_what_a_killed_worker_had
    start("postgres")
    text = killed_with([], "before", "PlainJob")

    assert_equal [true, []], [@world.lost?(text, @queue), in_hand]
    worker
    later = @world.next_key
    @world.push("PlainJob", later, "well", queue: @queue)
    till.wait("after", later)

    assert_equal [1, 0], [till.count("before", @key), till.count("charge", @key)]
  end

  def test_killed_with_a_reliable_fetch
    reliable
    till.at("look_up", @key) { true }
    text = killed_with(RELIABLE, "charge", "ChargeJob")

    assert_equal [text], in_hand
    an_hour_later
    @world.age("charge.create", @key)
    worker(*RELIABLE)
    till.wait("taken_over", @key)
    till.until("completed") { @world.record("charge.create", @key, "completion") == ["found"] }

    assert_equal 1, till.count("charge", @key)
    till.until("acknowledged") { in_hand.empty? }
  end

  # Done, and its worker dies before it says so. It comes again at a deploy, long after any service has forgotten.
  def test_the_acknowledgement_is_lost_and_it_comes_again_a_year_later
    reliable
    text = killed_before_its_acknowledgement("ChargeJob")

    assert_equal [[text], ["completed"]], [in_hand, @world.record("charge.create", @key, "state")]
    times = %w[claimed_at first_claimed_at completed_at].map { |column| @world.database.older(column, YEAR) }
    @world.database.change("charge.create", @key, times.join(", "))
    an_hour_later
    worker(*RELIABLE)
    till.wait("skipped", @key)
    till.until("acknowledged") { in_hand.empty? }

    assert_equal 1, till.count("charge", @key)
  end

  def test_control_the_acknowledgement_is_lost_without_the_guard
    reliable
    killed_before_its_acknowledgement("PlainJob")
    an_hour_later
    worker(*RELIABLE)
    till.wait("charge", @key, 2)
  end

  # The claim of a dead worker is live for a while. None of these is done, and none is dropped.
  def test_five_deliveries_meet_a_dead_workers_claim
    start("postgres")
    killed_at("before", "ChargeJob")
    worker
    texts = Array.new(5) { push("ChargeJob", "well") }
    till.wait("put_back", @key, 5)
    texts.each { |text| till.until("in the schedule") { @world.waiting("schedule", text).any? } }

    assert_equal(%w[claimed 1], @world.record("charge.create", @key, "state", "acts"))
    assert_equal([0] * 5, texts.map { |text| %w[success failure].sum { |end_of| till.count(end_of, JSON.parse(text)["jid"]) } })
    assert_equal 5, @world.log.scan(/put back for .*: another worker has the claim: key #{@key}$/).size
    till.at("look_up", @key) { false }
    @world.age("charge.create", @key)
    texts.each { |text| @world.due("schedule", text, @queue) }
    till.wait("skipped", @key, 4)

    assert_equal 1, till.count("charge", @key)
  end

  # A client that hides what ended it: Sidekiq pushes the job back, and writes a retry as well.
  def test_shut_down_into_its_queue_and_into_the_retries
    till_it_is_in_both("ChargeJob") do |text|
      till.at("look_up", @key) { true }
      @world.age("charge.create", @key)
      worker
      till.until("completed") { @world.record("charge.create", @key, "completion") == ["found"] }
      @world.due("retry", text, @queue)
      till.wait("skipped", @key)

      assert_equal 1, till.count("charge", @key)
      till.until("both are gone") { @world.lost?(text, @queue) }
    end
  end

  def test_control_shut_down_into_both_without_the_guard
    till_it_is_in_both("PlainJob") do |text|
      worker
      till.wait("charge", @key, 2)
      @world.due("retry", text, @queue)
      worker
      till.wait("charge", @key, 3)
    end
  end

  # Each delivery kills its worker, before the effect or after it: the record counts, and there is an end.
  [*(FULL && ["before"]), "charge"].each do |step|
    define_method("test_poison: #{step}") do
      start("postgres")
      till.at("look_up", @key) { till.count("charge", @key).positive? }
      text = killed_at(step, "ChargeJob", 20)
      deliveries = 1
      until @world.record("charge.create", @key, "state") != ["claimed"]
        flunk "delivered #{deliveries} times" if (deliveries += 1) > 10
        @world.age("charge.create", @key)
        pid = worker
        @world.push_text(text, @queue)
        till.until("ended") { %w[held taken_over].any? { |end_of| till.count(end_of, @key).positive? } || @world.ended?(pid) }
      end
      done = step == "charge"

      assert_equal done ? 1 : 0, till.count("charge", @key)
      assert_equal done ? ["completed", nil, "1"] : %w[held max_takeovers 6],
                   @world.record("charge.create", @key, "state", "hold_reason", "acts")
    end
  end

  def test_control_poison_without_the_guard
    start("postgres")
    text = killed_at("charge", "PlainJob", 2)
    pid = worker
    @world.push_text(text, @queue)
    @world.ended(pid)

    assert_equal 2, till.count("charge", @key)
  end

  private

  def reliable
    skip "gitlab-sidekiq-fetcher 0.8 is of Sidekiq 6" if SidekiqWorld::VERSION >= Gem::Version.new("7")
    start("postgres")
  end

  # The worker that has this fetch is killed at this step of its job. The job's text.
  def killed_with(fetch, step, job)
    text = push(job, "well")
    kill_once_at(step, @key, fetch)
    text
  end

  def kill_once_at(step, key, fetch)
    killed = false
    till.at(step, key) { |said| (killed = Process.kill(:KILL, said["pid"])) unless killed }
    @world.ended(worker(*fetch, ready: false))
  end

  # Behind perform, and so behind its completion.
  def killed_before_its_acknowledgement(job)
    text = push(job, "well")
    kill_once_at("success", JSON.parse(text)["jid"], RELIABLE)
    text
  end

  # What a reliable fetch keeps of this queue.
  def in_hand
    @world.redis.keys("working:queue:#{@queue}:*").flat_map { |list| @world.redis.lrange(list, 0, -1) }
  end

  # When a process looks for what dead ones had.
  def an_hour_later
    @world.redis.del("reliable-fetcher-cleanup-lock", *@world.redis.keys("reliable-fetcher-heartbeat-*"))
  end

  def till_it_is_in_both(job)
    start("postgres")
    pid = worker("-t", "1")
    text = push(job, "late_hide")
    till.wait("charge", @key)
    @world.kill(pid, :TERM)

    assert_equal [[text], 1], [@world.queued(@queue), @world.waiting("retry", text).size]
    yield text
  end
end
