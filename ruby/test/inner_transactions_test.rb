# frozen_string_literal: true

require "sidekiq"
require_relative "guarded_test"
require_relative "sidekiq_world"

# Transactions of the body's own, within the guard's: what they roll back is not there, as without the guard.
class InnerTransactionsTest < GuardedTest
  # The row of the job, and what is called once it is committed.
  class Row < ActiveRecord::Base
    self.table_name = "effects"
    before_save { |row| Effect.create!(job: row.job, item: "side").then { throw :abort } if row.item == "refused" }
    before_commit { Row.checked.call(self) }
    after_commit { Row.committed.call(self) }

    class << self
      attr_accessor :checked, :committed
    end
  end

  WAYS = {
    "an error that the body rescues" => -> { raise "too little money" },
    "the framework's own error" => -> { raise @app.is_a?(SequelApplication) ? Sequel::Rollback : ActiveRecord::Rollback },
    "an error of the database" => -> { @app.driver.run(@app.raw, "nonsense") }
  }.freeze

  # With ActiveRecord on each database.
  def self.test_on_each(what, &body)
    TestDatabase::NAMES.each do |database|
      define_method("test_#{what}: #{database}") do
        @name = "active_record #{database}"
        instance_exec(&body)
      end
    end
  end

  def setup
    super
    @type = self.class.next_type
    @log = StringIO.new
    Twiceproof.configuration.log = Logger.new(@log)
    Row.checked = Row.committed = ->(_) {}
  end

  def teardown
    Twiceproof.instance_variable_set(:@configuration, nil)
    super
  end

  Application.names.grep_v(/bare/).product(WAYS.keys).each do |name, way|
    define_method("test_what_the_body_rolls_back_is_not_committed: #{name}, #{way}") do
      starting(name) { body(way) }.new.perform("1")

      assert_equal [0, 1, "completed"], [rows("1"), rows("more"), record(@app.database)[0]]
    end
  end

  # In a transaction that the body's own joins.
  Application.names.grep_v(/bare/).each do |name|
    define_method("test_control: what_the_body_rolls_back_is_not_committed: #{name}") do
      starting(name) { nil }
      @app.unguarded { body("an error that the body rescues") }

      assert_equal 1, rows("1")
    end
  end

  # A callback of it has written something.
  test_on_each("a save that is false") do
    made = starting(@name) { |_| Row.new(job: @type, item: "refused").save || @app.insert(@type, "more") }
    made.new.perform("1")

    assert_equal [0, 1], [rows("side"), rows("more")]
  end

  # Not at the end of the body's own transaction: that may still be rolled back.
  test_on_each("callbacks after the commit") do
    seen = []
    Row.committed = ->(row) { seen << [row.item, rows(row.item)] }
    made = starting(@name) do |key|
      Row.transaction { Row.create!(job: @type, item: key) }
      raise IOError if key == "2"
    end
    made.new.perform("1")
    assert_raises(IOError) { made.new.perform("2") }

    assert_equal [["1", 1]], seen
  end

  # As the body's own error, so it takes one of Sidekiq's retries; to Rails it is that, too.
  test_on_each("a callback that raises before the commit") do
    made = starting(@name) { |key| Row.create!(job: @type, item: key) }
    Row.checked = ->(_) { raise IOError, "no" }
    assert_raises(IOError) { deliver_job(made, "1") }
    assert_raises(IOError) { @app.unguarded { Row.create!(job: @type, item: "1") } } # the control

    assert_equal [0, nil, false], [rows("1"), record(@app.database), @app.in_transaction?]
    Row.checked = ->(row) { @app.insert(@type, "trail") if row.item == "1" } # what it writes is in the transaction
    deliver_job(made, "1")

    assert_equal [1, 1, "completed"], [rows("1"), rows("trail"), record(@app.database)[0]]
  end

  # The guard's own statements are not held up by that, and nothing stays of them.
  test_on_each("a body that is prevented from writing") do
    made = starting(@name) { |key| Row.create!(job: @type, item: key) }
    assert_raises(ActiveRecord::ReadOnlyError) { ActiveRecord::Base.while_preventing_writes { made.new.perform("1") } }

    assert_equal [0, nil, false], [rows("1"), record(@app.database), @app.in_transaction?]
    made.new.perform("1")

    assert_equal [1, "completed"], [rows("1"), record(@app.database)[0]]
  end

  # The row is there, and its message does not come again: a person is told.
  test_on_each("a callback that raises after the commit") do
    Row.committed = ->(_) { raise Errno::ECONNREFUSED, "Redis" }
    made = starting(@name) { |key| Row.create!(job: @type, item: key).item }
    told = told_by_sidekiq { assert_equal "1", deliver_job(made, "1") }

    assert_equal [[Errno::ECONNREFUSED], 1, ["completed", 1, false]], [told, rows("1"), record(@app.database)]
    assert_match(/ERROR.*completed, but what follows its commit failed: key 1/, @log.string)
    assert_raises(Errno::ECONNREFUSED) { made.new.perform("2") }
    assert_nil told_by_sidekiq { deliver_job(made, "1") }.first
  end

  private

  def starting(name, &body)
    @app = Application.named(name)
    test = self
    own = guard(@app.database, job, log: Logger.new(@log))
    job_class(own, application: -> { @app.connection }) { |key| test.instance_exec(key, &body) }
  end

  def body(way)
    begin
      @app.unguarded do
        @app.insert(@type, "1")
        instance_exec(&WAYS.fetch(way))
      end
    rescue StandardError
      nil # and goes on
    end
    @app.insert(@type, "more")
  end

  def rows(item)
    @app.database.effects(@type, item)
  end

  def told_by_sidekiq
    told = []
    handlers = Sidekiq.respond_to?(:default_configuration) ? Sidekiq.default_configuration.error_handlers : Sidekiq.error_handlers
    before = handlers.dup
    handlers << ->(error, _context, _config = nil) { told << error.class }
    yield
    told
  ensure
    handlers&.replace(before)
  end
end
