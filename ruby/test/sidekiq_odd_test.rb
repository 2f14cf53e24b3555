# frozen_string_literal: true

require_relative "test_helper"
require_relative "sidekiq_steps"

# Messages, classes, middleware and databases that are not as they usually are.
class SidekiqOddTest < Minitest::Test
  include SidekiqSteps
  make_my_diffs_pretty!

  BROKEN = {"no table" => ["ALTER TABLE idempotency_records RENAME TO away", "ALTER TABLE away RENAME TO idempotency_records"],
            "no column" => ["ALTER TABLE idempotency_records RENAME COLUMN state TO away",
                            "ALTER TABLE idempotency_records RENAME COLUMN away TO state"]}.freeze
  # What Ruby reads and does not write again: a number, and bytes.
  UNWRITABLE = {"1e999" => '"more":1e999', "Latin-1" => "\"more\":\"\xE9t\xE9\""}.freeze

  # Nothing is lost or used up, and a person is told: by the log, and by Sidekiq's error handlers.
  BROKEN.each do |why, (broken, mended)|
    test_on_each("what the database refuses for good is an error, and put back: #{why}") do
      start
      warmed = @world.next_key
      %w[ChargeJob BookingJob].each { |name| push(name, warmed, "well") } # MySQL's table is asked for at the first one
      till.wait("after", warmed, 2)
      key = @world.next_key
      %w[charge.create booking.create].each { |job| till.until("completed") { record(job, warmed, "state") == ["completed"] } }
      put_back_until_mended(broken, mended, "ChargeJob" => key, "BookingJob" => key)
    end
  end

  # A deploy whose migration comes later.
  test_on_each("a worker that has never seen its table", TestDatabase::NAMES) do
    cold = "cold-#{@world.next_key}"
    pid = @world.worker("-c", "1", "-q", cold)
    names = %w[ChargeJob BookingJob BlockJob].to_h { |name| [name, "#{name}-#{cold}"] }
    put_back_until_mended(*BROKEN["no table"], names, cold)
    names.each_value { |key| assert_equal 1, till.count("charge", key) }
  ensure
    @world.kill(pid) if pid
  end

  UNFIT = ["ALTER TABLE idempotency_records DROP PRIMARY KEY",
           "ALTER TABLE idempotency_records ADD PRIMARY KEY (job_type, operation_key)"].freeze

  def test_a_worker_that_finds_an_unfit_table
    @world = SidekiqWorld.of("mysql")
    cold = "cold-#{@world.next_key}"
    pid = @world.worker("-c", "1", "-q", cold)
    put_back_until_mended(*UNFIT, {"ChargeJob" => "a-#{cold}", "BookingJob" => "b-#{cold}"}, cold)
  ensure
    @world.kill(pid) if pid
  end

  # Also when its perform is a module's.
  def test_subclass_of_a_class_whose_inherited_calls_no_super
    %w[ForgottenJob MixedJob].each do |name|
      key = start
      2.times { push(name, key) }
      till.until("done or put back") { till.count("skipped", key) + till.count("put_back", key) >= 1 }
      till.wait("charge", key)

      assert_equal 1, till.count("charge", key), name
    end
  end

  def test_run_by_a_middleware_in_a_fiber_or_thread_of_its_own
    %w[fiber thread].each do |elsewhere|
      key, open = held_at("before")
      first = push("ChargeJob", key, "well", elsewhere: elsewhere)
      till.wait("before", key)

      assert_equal jid(first), stored(key)["jid"]
      text = push("ChargeJob", key, "well", elsewhere: elsewhere)
      till.wait("put_back", key)
      till.until("in the schedule") { @world.waiting("schedule", text).any? }
      open << true
      till.wait("after", key)

      assert_empty @world.waiting("retry", text)
    end
  end

  # The second job of a key is put back. The control are two that nobody guards.
  if SidekiqWorld::VERSION >= Gem::Version.new("7")
    def test_in_embedded_mode
      key, open = held_at("before")
      pid = @world.embedded(key)
      texts = Array.new(2) { push("ChargeJob", key, "well", queue: key) }
      till.wait("put_back", key)
      open << true
      till.wait("after", key)
      due = texts.find { |text| @world.waiting("schedule", text).any? }
      @world.due("schedule", due, key)
      till.wait("skipped", key)
      2.times { push("PlainJob", "plain-#{key}", "well", queue: key) }
      till.wait("charge", "plain-#{key}", 2)

      assert_equal 1, till.count("charge", key)
    ensure
      @world.kill(pid) if pid
    end
  end

  # Sidekiq itself could not write it into its retries, so it would be lost at the first error.
  UNWRITABLE.each do |what, more|
    define_method("test_a_message_that_cannot_be_written_again_is_kept_as_it_came: #{what}") do
      key = start
      text = odd("ChargeJob", key, more)
      dead = till.until("dead") { dead_with(key) }

      assert_equal JSON.parse(text), JSON.parse(dead)
      assert_equal [nil, 0], [record("charge.create", key, "state"), till.count("before", key)]
      till.until("it is logged") { @world.log.match?(/ERROR.*put into the dead set: its message cannot be written again/) }
      odd("PlainJob", key, more)
      till.wait("after", key)
    end
  end

  # Not guarded, within ActiveJob's wrapper, which does not show that.
  def test_a_message_of_another_job_that_cannot_be_written_again
    key = start
    inner = {"job_class" => "PlainMailJob", "job_id" => SecureRandom.uuid, "queue_name" => "default", "arguments" => [key],
             "executions" => 0, "exception_executions" => {}, "locale" => "en"}
    job = {"retry" => 2, "queue" => "default", "class" => SidekiqWorld::WRAPPER, "wrapped" => "PlainMailJob", "args" => [inner],
           "jid" => SecureRandom.hex(12)}
    @world.push_text(JSON.generate(job).sub(/}\z/, ',"more":1e999}'))
    till.wait("after", key)
  end

  private

  def put_back_until_mended(broken, mended, keys, queue = "default")
    @world.database.execute(broken)
    texts = keys.map { |name, key| push(name, key, "well", queue: queue) }
    begin
      texts.each do |text|
        assert_match(/\ATwiceproof::(NotStored|Refused)Error\z/, till.wait("told", jid(text))["error"])
        assert_equal JSON.parse(text), JSON.parse(till.until("put back") { @world.waiting("schedule", text).first }[0])
      end
    ensure
      @world.database.execute(mended)
    end
    %w[charge.create booking.create].each { |job| assert_match(/ERROR.*#{job}: nothing can be stored until/, @world.log) }
    keys.each_value { |key| assert_equal 0, till.count("charge", key) }
    texts.each { |text| @world.due("schedule", text, queue) }
    keys.each_value { |key| till.wait("after", key, keys.values.count(key)) }
  end

  def odd(name, key, more)
    text = %({"retry":2,"queue":"default","class":"#{name}","args":["#{key}","well"],"jid":"#{SecureRandom.hex(12)}",#{more}})
    @world.push_text(text)
  end

  def dead_with(key)
    @world.redis.zrange("dead", 0, -1).find { |text| text.b.include?("\"#{key}\"".b) }
  end
end
