# frozen_string_literal: true

require "sidekiq"
require_relative "guarded_test"
require_relative "sidekiq_world"

# The guard beside transactions of the application's own: one whose snapshot is older than the record, one in which a
# repeat is met, one that the server ends.
class AroundTransactionsTest < GuardedTest
  REPEATABLE = {
    "postgres" => "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "mysql" => "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "sqlite" => "PRAGMA read_uncommitted = 0" # its only level
  }.freeze
  XID = "SELECT pg_current_xact_id()::text"

  # A guard that believes the application's snapshot: what it does not see there is not claimed.
  module Trusting
    class << self
      attr_accessor :snapshot
    end

    def claim(c)
      return super unless Trusting.snapshot && unseen?(c)

      Twiceproof::Record.new(state: "claimed", token: c.token, stale_ms: -1, acts: 1, fingerprint: c.print, reference: "")
    end

    def claim_own_row(connection, driver, c)
      return super unless Trusting.snapshot && unseen?(c)

      run(connection, driver, "mark_own_row")
      driver.dialect == "postgres" ? driver.run(connection, XID).rows[0][0] : c.token
    end

    def unseen?(c)
      read_on(Trusting.snapshot, Twiceproof::Driver.of(Trusting.snapshot), c.key).nil?
    end
  end
  Twiceproof::Records.prepend(Trusting)

  def setup
    super
    Twiceproof.configuration.log = Logger.new(nil)
  end

  def teardown
    Trusting.snapshot = nil
    [@snapshot, @other].compact.each { |connection| shut(connection) }
    Twiceproof.instance_variable_set(:@configuration, nil)
    super
  end

  # The job reads; another worker does all of it; then the job comes to the guard.
  REPEATABLE.keys.product(%w[outside own_row]).each do |name, kind|
    define_method("test_old_snapshot_of_the_job: #{name}, #{kind}") do
      start(name, kind)
      deliver_job(around(acting(kind)) { old_snapshot }, "1")

      assert_equal [0, 1], [seen, @app.database.effects(@type, "1")]
      assert_equal ["completed", 1], record(@app.database)[0, 2]
    end

    define_method("test_control: old_snapshot: #{name}, #{kind}: a guard that trusts it") do
      start(name, kind)
      deliver_job(around(acting(kind)) { Trusting.snapshot = old_snapshot }, "1")

      assert_equal 2, @app.database.effects(@type, "1")
    end
  end

  # Where autocommit is off, whatever was read has opened one.
  REPEATABLE.each_key do |name|
    define_method("test_own_row_on_the_connection_of_an_old_snapshot_is_refused: #{name}") do
      start(name, "own_row")
      old_snapshot(name == "mysql" ? "SET autocommit = 0" : "BEGIN")
      assert_raises(Twiceproof::RefusedError) { @guard.run_tx(@snapshot, delivery) { flunk } }

      assert_equal [0, 1], [seen, @app.database.effects(@type, "1")]
    end

    # What was written before and after it is stored.
    define_method("test_repeat_within_a_transaction_leaves_it_alive: #{name}") do
      start(name, "outside")
      elsewhere
      @app.unguarded do
        @app.insert(@type, "before")

        assert @guard.run(delivery) { flunk }.repeat?
        assert_raises(Twiceproof::RefusedError) { @guard.run(delivery, application: @app.connection) { flunk } }
        @app.insert(@type, "after")
      end

      assert_equal([1, 1], %w[before after].map { |item| @app.database.effects(@type, item) })
    end
  end

  # Begun behind the framework's back, or by what was read without autocommit.
  {"postgres" => ["BEGIN"], "mysql" => ["SET autocommit = 0", "SELECT * FROM effects"]}.each do |name, begun|
    %w[active_record sequel].each do |kind|
      define_method("test_a_transaction_that_the_framework_does_not_know_is_refused: #{kind} #{name}") do
        @type = self.class.next_type
        @app = Application.named("#{kind} #{name}")
        begun.each { |sql| ask(@app.raw, sql) }
        assert_raises(Twiceproof::RefusedError) { guard(@app.database, job).run_tx(@app.connection, delivery) { flunk } }
        ask(@app.raw, "ROLLBACK")

        assert_nil record(@app.database)
      end
    end
  end

  # ActiveRecord's COMMIT would only release the savepoint of the inner one.
  def test_a_body_that_leaves_a_transaction_of_its_own_open
    @type = self.class.next_type
    @app = Application.named("active_record postgres")
    own = guard(@app.database, job)
    error = assert_raises(Twiceproof::BodyError) do
      own.run_tx(@app.connection, delivery) { @app.connection.begin_transaction && @app.insert(@type, "1") }
    end

    assert_match(/left a transaction of its own open/, error.message)
    assert_equal [0, nil, false], [@app.database.effects(@type, "1"), record(@app.database), @app.in_transaction?]
  end

  # As where somebody has replaced what sends it.
  def test_a_commit_that_is_not_sent
    @type = self.class.next_type
    @app = Application.named("active_record postgres")
    own = guard(@app.database, job)
    assert_raises(Twiceproof::BodyError) do
      own.run_tx(@app.connection, delivery) do
        @app.insert(@type, "1")
        @app.connection.define_singleton_method(:commit_db_transaction) { nil }
      end
    end

    assert_equal [0, nil, false], [@app.database.effects(@type, "1"), record(@app.database), @app.in_transaction?]
  end

  # Whoever is given it next would write in the guard's transaction, and lose that with it.
  def test_a_body_that_gives_its_connection_back
    @type = self.class.next_type
    @app = Application.named("active_record postgres")
    own = guard(@app.database, job)
    pool = ActiveRecord::Base.connection_pool
    error = assert_raises(Twiceproof::BodyError) do
      own.run_tx(@app.connection, delivery) { @app.insert(@type, "1") && pool.release_connection }
    end

    assert_match(/gave the connection back to its pool/, error.message)
    assert_equal [0, nil, false], [@app.database.effects(@type, "1"), record(@app.database), @app.connection.transaction_open?]
  end

  # Its claim would be lost, and what follows be committed by itself, again at each delivery.
  TestDatabase::NAMES.product(%i[reconnect! reset!]).each do |name, reset|
    define_method("test_a_body_that_resets_its_connection: #{name}, #{reset}") do
      @type = self.class.next_type
      @app = Application.named("active_record #{name}")
      own = guard(@app.database, job)
      result = own.run_tx(@app.connection, delivery) { @app.connection.public_send(reset) && @app.insert(@type, "1") }

      assert_match(/#{reset} in the guard's transaction loses it/, result.error.message)
      assert_equal [0, nil, false], [@app.database.effects(@type, "1"), record(@app.database), @app.connection.transaction_open?]
      @app.connection.public_send(reset)
      own.run_tx(@app.connection, delivery) { @app.insert(@type, "1") }

      assert_equal 1, @app.database.effects(@type, "1")
    end
  end

  # Its fault, so it takes Sidekiq's retries, and is not just put back.
  def test_a_body_that_closes_its_connection
    @type = self.class.next_type
    @app = Application.named("active_record postgres")
    pool = ActiveRecord::Base.connection_pool
    assert_raises(Twiceproof::BodyError) do
      guard(@app.database, job).run_tx(@app.connection, delivery) { pool.disconnect! || @app.insert(@type, "1") }
    end

    assert_nil record(@app.database)
  end

  # In a rollback journal a reader refuses the COMMIT, which leaves the transaction open: not for the connection's next user.
  %w[bare active_record sequel].each do |kind|
    define_method("test_a_refused_commit_leaves_nothing_open: #{kind}") do
      @type = self.class.next_type
      in_a_rollback_journal(kind)
      @snapshot = @app.database.connect
      ["BEGIN", "SELECT * FROM effects"].each { |sql| ask(@snapshot, sql) }
      own = guard(@app.database, job)
      assert_raises(Twiceproof::NotStoredError) { own.run_tx(@app.connection, delivery) { @app.insert(@type, "1") } }
      @snapshot.close
      @app.connect if @app.raw.closed?

      assert_equal [0, nil, false], [@app.database.effects(@type, "1"), record(@app.database), @app.in_transaction?]
      assert_equal :completed, own.run_tx(@app.connection, delivery) { @app.insert(@type, "1") }.outcome
    ensure
      @app.close
      @app.database.stop
    end
  end

  # The outside service is slow, and the server ends the application's idle transaction meanwhile. The claim is none of it.
  def test_an_idle_transaction_is_ended_during_an_outside_effect
    start("postgres", "outside")
    @snapshot = short_lived
    @snapshot.exec("BEGIN")
    acts = 0
    2.times { @guard.run(delivery) { (acts += 1) && until_ended(@snapshot) } }

    assert_equal [1, ["completed", 1, false]], [acts, record(@app.database)]
  end

  # A call within an own row's transaction: the claim is gone with it, and the call is made again.
  def test_control_an_outside_call_within_the_guards_transaction
    start("postgres", "own_row")
    acts = 0
    2.times do
      @other = short_lived
      @guard.run_tx(@other, delivery) { (acts += 1) && until_ended(@other) }
    rescue Twiceproof::Error, PG::Error
      nil
    end

    assert_equal [2, nil], [acts, record(@app.database)]
  end

  private

  def start(name, kind)
    @type = self.class.next_type
    @app = Application.named("bare #{name}")
    ask(@app.raw, REPEATABLE.fetch(name))
    @guard = guard(@app.database, job(kind == "outside" ? "hold" : nil))
    @kind = kind
  end

  # Each effect is a row that is committed at once, or one of the guard's transaction.
  def acting(kind)
    app = @app
    type = @type
    own = kind == "own_row" ? {application: -> { app.connection }} : {}
    job_class(@guard, **own) { |key| app.insert(type, key) }
  end

  # What goes around a job's perform.
  def around(made, &before)
    made.prepend(Module.new { define_method(:perform) { |*args| before.call && super(*args) } })
  end

  # A transaction that has read, and then the operation is done elsewhere. Its connection.
  def old_snapshot(begun = "BEGIN")
    @snapshot = @app.database.connect
    [REPEATABLE.fetch(@app.database.dialect), begun].each { |sql| ask(@snapshot, sql) }

    assert_equal 0, seen
    elsewhere
    @snapshot
  end

  def elsewhere
    deliver_job(acting(@kind), "1")
  end

  # How many of its records the snapshot sees.
  def seen
    ask(@snapshot, "SELECT COUNT(*) FROM idempotency_records WHERE job_type = '#{@type}'")[0][0].to_i
  end

  def ask(connection, sql)
    Twiceproof::Driver.of(connection).run(connection, sql).rows
  end

  def in_a_rollback_journal(kind)
    applications = {"bare" => Application, "active_record" => RailsApplication, "sequel" => SequelApplication}
    database = SQLiteDatabase.new
    database.execute("PRAGMA journal_mode = DELETE")
    @app = applications.fetch(kind).new(database)

    assert_equal [["delete"]], ask(@app.raw, "PRAGMA journal_mode")
  end

  def short_lived
    @app.database.connect.tap { |c| c.exec("SET idle_in_transaction_session_timeout = '1s'") }
  end

  def shut(connection)
    connection.close
  rescue StandardError
    nil # the guard has closed it
  end

  def until_ended(connection)
    pid = connection.backend_pid
    sleep 0.02 until @app.database.execute("SELECT pid FROM pg_stat_activity WHERE pid = #{pid}").empty?
  end
end
