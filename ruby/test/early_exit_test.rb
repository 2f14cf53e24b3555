# frozen_string_literal: true

require_relative "guarded_test"
require_relative "leaves"

# Leaving early never commits, in whatever way the body is left.
class EarlyExitTest < GuardedTest
  LEAVES = Leaves::ALL

  Application.names.product(LEAVES.to_a).each do |name, (how, leave)|
    define_method("test_own_row: #{name}, #{how}") do
      start(name)
      leave.call(->(&out) { @guard.run_tx(@app.connection, delivery) { insert_and(&out) } })

      assert_equal [0, nil, false], [@app.database.effects(@type, "1"), record(@app.database), @app.in_transaction?]
      assert_once
    end
  end

  # The controls: what is written before each of them would be seen, had anybody committed it.
  module Careless
    class << self
      attr_accessor :on
    end

    def stop
      super
      %i[commit begin].each { |verb| @driver.public_send(verb, @raw) } if Careless.on
    end
  end
  Twiceproof::Transaction.prepend(Careless)

  Application.names.product(LEAVES.to_a).each do |name, (how, leave)|
    define_method("test_control: own_row: #{name}, #{how}: a guard that commits") do
      start(name)
      Careless.on = true
      leave.call(->(&out) { @guard.run_tx(@app.connection, delivery) { insert_and(&out) } })

      assert_equal [1, "held"], [@app.database.effects(@type, "1"), record(@app.database)[0]]
    ensure
      Careless.on = false
    end
  end

  # What commits when it is left, without the guard.
  %w[active_record sequel].product(TestDatabase::NAMES, %w[throw break return]).each do |kind, database, how|
    define_method("test_control: #{kind} #{database}, #{how} commits without the guard") do
      start("#{kind} #{database}")
      quietly { LEAVES[how].call(->(&out) { @app.unguarded { insert_and(&out) } }) }

      assert_equal 1, @app.database.effects(@type, "1")
    end
  end

  TestDatabase::NAMES.product(LEAVES.to_a).each do |name, (how, leave)|
    define_method("test_outside: #{name}, #{how}: nobody can tell") do
      @type = self.class.next_type
      database = TestDatabase.named(name)
      guarded = guard(database, job("hold"))
      leave.call(->(&out) { guarded.run(delivery, &out) })

      assert_equal ["claimed", 1, true], record(database)
      assert_equal :held, guarded.run(delivery) { flunk }.outcome
    end
  end

  # The statement is at the server when its thread is wanted elsewhere. (mysql2 defers Timeout::Error to its end.)
  SLOW = {"postgres" => "SELECT pg_sleep(50)", "mysql" => "SELECT SLEEP(50)"}.freeze

  %w[bare active_record sequel].product(SLOW.to_a, [Shutdown, nil]).each do |kind, (name, slow), error|
    define_method("test_statement_under_way: #{kind} #{name}, #{error || "Thread#kill"}") do
      start("#{kind} #{name}")
      since = Twiceproof::Clock.now
      statement = "#{slow}, '#{@type}'"
      leave_under_way(statement, error)

      assert_operator Twiceproof::Clock.now - since, :<, 40
      assert_equal [0, nil, false], [@app.database.effects(@type, "1"), record(@app.database), @app.in_transaction?]
    ensure
      @app.database.end_statement(statement) if name == "mysql"
    end
  end

  # A look-up that is left is one without an answer.
  def test_look_up_left_early
    @type = self.class.next_type
    database = TestDatabase.named("sqlite")
    guarded = guard(database, job("lookup", settle: 1), look_up: ->(_) { throw :out })
    guarded.run(delivery) { raise "unknown" }
    database.change(@type, "1", database.older("claimed_at", 120_000))
    catch(:out) { guarded.run(delivery) { flunk } }

    assert_equal ["claimed", 1, true], record(database)
    assert_equal 1, database.record(@type, "1", ["lookups"]).first
  end

  # next is how a block ends by itself: that is the body's normal end, and so is a lambda's return.
  def test_next_is_the_bodys_end
    start("bare sqlite")
    result = @guard.run_tx(@app.connection, delivery) do
      @app.insert(@type, "1")
      next
    end

    assert_equal [:completed, 1], [result.outcome, @app.database.effects(@type, "1")]
  end

  private

  def start(name)
    @type = self.class.next_type
    @app = Application.named(name)
    @guard = guard(@app.database, job)
  end

  def leave_under_way(slow, error)
    inside = Queue.new
    thread = Thread.new do
      Thread.current.report_on_exception = false
      @guard.run_tx(@app.connection, delivery) do
        insert_and { inside << true }
        @app.driver.run(@app.raw, slow)
      end
    end
    inside.pop
    sleep 0.02 until @app.database.under_way?(slow)
    error ? thread.raise(error) : thread.kill
    thread.join
  rescue Shutdown, Sequel::DatabaseDisconnectError
    nil # Sequel raises its own error also in a thread that is killed
  end

  # ActiveRecord 6.1 warns.
  def quietly(&block)
    ActiveSupport::Deprecation.respond_to?(:silence) ? ActiveSupport::Deprecation.silence(&block) : yield
  end

  def insert_and
    @app.insert(@type, "1")
    yield
  end

  # On the same connection, or on the one that the application opens when it was closed.
  def assert_once
    @app.connect if @app.raw.respond_to?(:closed?) && @app.raw.closed?
    result = again
    result = again || flunk("not delivered") unless result.acknowledge?

    assert_equal [:completed, 1], [result.outcome, @app.database.effects(@type, "1")]
  end

  def again
    @guard.run_tx(@app.connection, delivery) { @app.insert(@type, "1") }
  rescue Twiceproof::NotStoredError
    @app.close
    @app.connect
    @guard.run_tx(@app.connection, delivery) { @app.insert(@type, "1") }
  end
end
