# frozen_string_literal: true

require "sidekiq"
require_relative "guarded_test"
require_relative "leaves"
require_relative "sidekiq_world"

# A guarded job that is left early, as Sidekiq runs it: it never commits, and never counts as done.
class JobEarlyExitTest < GuardedTest
  LEAVES = Leaves::ALL
  CONNECTIONS = %w[bare active_record sequel].product(%w[postgres mysql]).map { |kind, name| "#{kind} #{name}" }

  # What comes from another thread, and so at any place.
  FROM_OUTSIDE = {
    "Thread#kill" => ->(thread) { thread.kill },
    "a shutdown" => ->(thread) { thread.raise(Sidekiq::Shutdown) },
    "Timeout" => ->(thread) { thread.raise(Timeout::Error) }
  }.freeze

  # Where the guard sends a statement: the strike comes before or after the nth of them.
  module Strike
    class << self
      attr_accessor :at, :how, :thread

      def arm(at, how)
        self.at = at
        self.how = how
        self.thread = Thread.current
      end

      def step
        return unless thread == Thread.current

        self.at -= 1
        how.call(thread) if at.zero?
      end
    end

    def run(*)
      Strike.step
      answer = super
      Strike.step
      answer
    end
  end
  [Twiceproof::PgDriver, Twiceproof::Mysql2Driver, Twiceproof::SQLite3Driver].each { |driver| driver.prepend(Strike) }

  def setup
    super
    Twiceproof.configuration.log = Logger.new(nil)
    # ActiveRecord lets interrupts into its statements: one that looks like the database's error is put back.
    Sidekiq.configure_client { |config| config.redis = {url: SidekiqWorld.of("postgres").url} }
  end

  def teardown
    Strike.thread = nil
    super
  end

  # Between any two statements of perform itself: before its first row, between the two, after the last.
  CONNECTIONS.product(LEAVES.to_a, ENV["TWICEPROOF_FULL"] ? [0, 1, 2] : [1]).each do |name, (how, leave), rows|
    define_method("test_own_row: #{name}, #{how}, after #{rows} rows") do
      start(name)
      leave.call(->(&out) { deliver_job(rows_then(rows, out), "1") })

      assert_equal [0, nil, false], [@app.database.effects(@type, "1"), record(@app.database), @app.in_transaction?]
      assert_two_rows
    end
  end

  # perform itself would end well.
  Application.names.product(%w[return break throw]).each do |name, how|
    define_method("test_own_row: #{name}, #{how} out of twiceproof_transaction") do
      start(name)
      made = job_in_block(how)

      assert_match(/left by return, break or throw/, assert_raises(Twiceproof::LeftEarlyError) { deliver_job(made, "1") }.message)
      assert_equal [0, nil, false], [@app.database.effects(@type, "1"), record(@app.database), @app.in_transaction?]
      assert_two_rows
    end
  end

  LEAVES.each do |how, leave|
    define_method("test_outside: #{how}: nobody can tell") do
      @type = self.class.next_type
      database = TestDatabase.named("sqlite")
      guarded = guard(database, job("hold"))
      leave.call(->(&out) { deliver_job(job_class(guarded) { |_| out.call }, "1") })

      assert_equal ["claimed", 1, true], record(database)
      assert_nil deliver_job(job_class(guarded) { |_| raise "acted once more" }, "1")
      assert_equal "held", record(database)[0]
    end
  end

  # Before and after each statement of the guard.
  CONNECTIONS.product(FROM_OUTSIDE.to_a).each do |name, (how, strike)|
    define_method("test_own_row, the guard's statements: #{name}, #{how}") do
      count = each_statement(strike, -> { start(name) }, -> { deliver_job(rows_then(2, -> {}), "1") }) do |n|
        rows = @app.database.effects(@type, "1")

        assert_equal [rows.zero? ? nil : "completed", false], [record(@app.database)&.first, @app.in_transaction?], n
        assert_includes [0, 2], rows, n
        assert_two_rows
      end

      assert_operator count, :>, 4
    end
  end

  TestDatabase::NAMES.product(FROM_OUTSIDE.to_a).each do |name, (how, strike)|
    define_method("test_outside, the guard's statements: #{name}, #{how}") do
      count = each_statement(strike, -> { start_outside(name) }, -> { act }) do |n|
        assert_equal @acts == 1, @ended, n if record(@database)&.first == "completed"
        @database.change(@type, "1", @database.older("claimed_at", 60_000))
        act

        assert_operator @acts, :<=, 1, n
        assert_includes %w[completed held], record(@database)[0], n
      end

      assert_operator count, :>, 4
    end
  end

  private

  def start(name)
    @type = self.class.next_type
    @app = Application.named(name)
    @guard = guard(@app.database, job)
  end

  def start_outside(name)
    @type = self.class.next_type
    @database = TestDatabase.named(name)
    @guard = guard(@database, job("hold"))
    @acts = 0
    @ended = false
  end

  def act
    test = self
    count = lambda do
      @acts += 1
      @ended = true
    end
    deliver_job(test.job_class(@guard) { |_| count.call }, "1")
  end

  # Two rows, and left after so many.
  def rows_then(rows, out)
    app = @app
    type = @type
    job_class(@guard, application: -> { app.connection }) do |key|
      out.call if rows.zero?
      app.insert(type, key)
      out.call if rows == 1
      app.insert(type, key)
      out.call if rows == 2
    end
  end

  def job_in_block(how)
    app = @app
    type = @type
    job_class(@guard, application: -> { app.connection }, transaction: :block) do |key|
      catch(:out) do
        twiceproof_transaction do
          app.insert(type, key)
          break if how == "break"
          return if how == "return"

          throw :out
        end
      end
    end
  end

  # Runs again and again, struck at the next statement each time, until there are no more. The number of statements.
  def each_statement(strike, start, run)
    1.step do |n|
      start.call
      struck = struck_at(n, strike, run)
      return n unless struck

      yield "statement #{n}"
      @app&.close
      @guard.close
    end
  end

  def struck_at(number, strike, run)
    thread = Thread.new do
      Thread.current.report_on_exception = false
      Strike.arm(number, strike)
      run.call
    rescue Sidekiq::Shutdown, Timeout::Error
      nil
    end
    thread.join(60) || flunk("statement #{number} hangs: #{thread.backtrace.first(20).join("\n")}")
    !Strike.at.positive?
  end

  # Delivered again, on the same connection or on the one that the application opens when it was closed.
  def assert_two_rows
    @app.connect if @app.raw.respond_to?(:closed?) && @app.raw.closed?
    again

    assert_equal ["completed", 2], [record(@app.database)[0], @app.database.effects(@type, "1")]
  end

  def again
    deliver_job(rows_then(3, nil), "1")
  rescue Twiceproof::Error
    @app.close
    @app.connect
    deliver_job(rows_then(3, nil), "1")
  end
end
