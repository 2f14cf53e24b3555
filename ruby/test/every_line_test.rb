# frozen_string_literal: true

require "sidekiq"
require_relative "guarded_test"
require_relative "sidekiq_world"

# The guard is left at each line of its own, in turn: by an exception, which is what a signal does in the main
# thread and nothing defers, and by Thread#kill, which the guard defers. Where a line costs
# new connections to a server, only TWICEPROOF_FULL has each of them.
class EveryLineTest < GuardedTest
  LIB = File.expand_path("../lib/twiceproof", __dir__)
  HOW = {
    "a signal's exception" => -> { raise Interrupt },
    "Thread#kill" => -> { Thread.current.kill }
  }.freeze
  STRIDE = 13

  Application.names.product(HOW.to_a).each do |name, (how, leave)|
    define_method("test_own_row: #{name}, #{how}") do
      @name = name
      lines = each_line(leave, -> { start(name) }, -> { deliver }) { |line| assert_row_and_record_agree(line) }

      assert_operator lines, :>, 60
    end
  end

  TestDatabase::NAMES.product(HOW.to_a).each do |name, (how, leave)|
    define_method("test_outside: #{name}, #{how}") do
      @name = "bare #{name}"
      lines = each_line(leave, -> { start("bare #{name}", "hold") }, -> { call }) { |line| assert_never_twice(line) }

      assert_operator lines, :>, 60
    end
  end

  # A claim whose effect may be out: the look-up is left as well, and so is what follows it.
  HOW.each do |how, leave|
    define_method("test_look_up: #{how}") do
      @name = "bare sqlite"
      lines = each_line(leave, -> { start_in_doubt }, -> { call }) { |line| assert_never_twice(line) }

      assert_operator lines, :>, 60
    end

    # The same of a job, as Sidekiq runs it.
    define_method("test_job_of_an_own_row: #{how}") do
      @name = "bare sqlite"
      lines = each_line(leave, -> { start(@name) }, -> { deliver_row }) { |line| assert_row_and_record_agree(line) }

      assert_operator lines, :>, 100
    end

    define_method("test_job_of_an_outside_effect: #{how}") do
      @name = "bare sqlite"
      lines = each_line(leave, -> { start(@name, "hold") }, -> { deliver_act }) { |line| assert_never_twice(line) }

      assert_operator lines, :>, 100
    end

    # A delivery that comes to its end without an exception has its message in the schedule.
    define_method("test_job_that_is_put_back: #{how}") do
      @name = "bare sqlite"
      lines = each_line(leave, -> { start_live }, -> { end_of_live }) do |line|
        assert_equal 1, @redis.zcard("schedule"), line if @ended
        assert_equal ["claimed", 1, false], record(@app.database), line
      end

      assert_operator lines, :>, 100
    end
  end

  private

  def deliver_row
    app = @app
    type = @type
    deliver_job(job_class(@guard, application: -> { app.connection }) { |key| app.insert(type, key) }, "1")
  end

  def deliver_act
    count = -> { @acts += 1 }
    deliver_job(job_class(@guard) { |_| count.call }, "1")
  end

  # Another worker has the claim.
  def start_live
    start(@name, "hold")
    world = SidekiqWorld.of("postgres")
    Sidekiq.configure_client { |config| config.redis = {url: world.url} }
    @redis = world.redis
    @redis.flushall
    @ended = false
    catch(:out) { @guard.run(delivery) { throw :out } }
    @app.database.change(@type, "1", "given_up = 0, lease_ms = 60000, claimed_at = #{@app.database.now}")
  end

  def start_in_doubt
    start(@name, "lookup", settle: 1, look_up: ->(_) { @acts == 1 })
    @guard.run(delivery) { raise "unknown" }
    @app.database.change(@type, "1", @app.database.older("claimed_at", 120_000))
  end

  def end_of_live
    deliver_act
    @ended = true
  end

  # Runs again and again, left at the next line each time, until it is not left any more. The number of lines.
  def each_line(leave, start, run)
    1.step(by: ENV["TWICEPROOF_FULL"] || @name == "bare sqlite" ? 1 : STRIDE) do |n|
      start.call
      at = left_at(n, leave, run)
      return n unless at

      yield at
      @app.close
      @guard.close
    end
  end

  # The line at which it was left; nil when there are not so many.
  def left_at(n, leave, run)
    at = nil
    thread = Thread.new do
      Thread.current.report_on_exception = false
      trace(n, leave) { |line| at = line }.enable(target_thread: Thread.current) { run.call }
    rescue Interrupt
      nil
    end
    thread.join(60) || flunk("#{at} hangs: #{thread.backtrace.first(20).join("\n")}")
    at
  end

  def trace(n, leave)
    count = 0
    TracePoint.new(:line) do |point|
      next unless point.path.start_with?(LIB) && (count += 1) == n

      yield "#{File.basename(point.path)}:#{point.lineno}"
      leave.call
    end
  end

  def start(name, policy = nil, look_up: nil, **stale)
    Twiceproof.configuration.log ||= Logger.new(nil)
    @type = self.class.next_type
    @app = Application.named(name)
    @guard = guard(@app.database, job(policy, **stale), look_up: look_up)
    @acts = 0
  end

  def deliver
    @guard.run_tx(@app.connection, delivery) { @app.insert(@type, "1") }
  end

  def call
    @guard.run(delivery) { @acts += 1 }
  end

  def assert_row_and_record_agree(line)
    database = @app.database

    refute @app.in_transaction?, line
    rows = database.effects(@type, "1")
    assert_equal [rows.zero? ? nil : "completed"], [record(database)&.first], line
    @app.close
    @app.connect
    result = deliver
    assert_equal [:completed, rows == 1, 1], [result.outcome, result.repeat?, database.effects(@type, "1")], line
  end

  def assert_never_twice(line)
    acted = @acts
    state, acts, = record(@app.database)
    assert_includes [nil, "claimed"], state, line if acted.zero?
    assert_operator acts, :>, 0, line if acted == 1 && state == "claimed"
    refute_nil state, line if acted == 1
    @app.database.change(@type, "1", @app.database.older("claimed_at", 120_000))
    # A claim that was sent and not waited for may come to its end at the server only now.
    assert_includes [:completed, :held, *(:live unless state)], @guard.run(delivery) { @acts += 1 }.outcome, line
    assert_operator @acts, :<=, 1, line
  end
end
