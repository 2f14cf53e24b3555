# frozen_string_literal: true

require_relative "guarded_test"

# What the scenarios cannot say: processes and threads, and what an application has set up.
class GuardTest < GuardedTest
  Application.names.each do |name| # rubocop:disable Metrics/BlockLength
    define_method("test_open_transaction_is_refused_and_left: #{name}") do
      @type = self.class.next_type
      @app = Application.named(name)
      @app.unguarded do
        @app.insert(@type, "mine")
        own = assert_raises(Twiceproof::RefusedError) { guard(@app.database, job).run_tx(@app.connection, delivery) { flunk } }
        assert_raises(Twiceproof::RefusedError) do
          guard(@app.database, job("hold")).run(delivery, application: @app.connection) { flunk }
        end

        assert_includes own.message, "open"
      end

      assert_equal 1, @app.database.effects(@type, "mine")
      assert_equal :completed, guard(@app.database, job("hold")).run(delivery, application: @app.connection) { nil }.outcome
    end

    define_method("test_one_row_and_a_result: #{name}") do
      @type = self.class.next_type
      @app = Application.named(name)
      guarded = guard(@app.database, job)
      results = Array.new(2) do
        guarded.run_tx(@app.connection, delivery("é/%")) do |op|
          @app.insert(@type, op.key)
          op.result = "\x00\xFF"
        end
      end

      assert_equal [[:completed, false, "\x00\xFF".b], [:completed, true, "\x00\xFF".b]],
                   (results.map { |r| [r.outcome, r.repeat, r.value] })
      assert_equal [1, false], [@app.database.effects(@type, "é%2F%25"), @app.in_transaction?]
    end
  end

  def sqlite
    @type = self.class.next_type
    TestDatabase.named("sqlite")
  end

  # Repeats are counted at most once a second.
  def test_repeats
    database = sqlite
    guarded = guard(database, job("hold"))
    4.times { guarded.run(delivery) { nil } }

    assert_equal [1], database.record(@type, "1", ["repeats"])
    database.change(@type, "1", database.older("last_repeat_at", 1000))
    guarded.run(delivery) { flunk }

    assert_equal [2], database.record(@type, "1", ["repeats"])
  end

  def test_look_up_answers_true_or_false
    database = sqlite
    guarded = guard(database, job("lookup", settle: 1), look_up: ->(_) {})
    guarded.run(delivery) { raise "unknown" }
    database.change(@type, "1", database.older("claimed_at", 120_000))

    result = guarded.run(delivery) { flunk }

    assert_equal [:given_up, TypeError], [result.outcome, result.error.class]
  end

  def test_refused
    sqlite
    assert_raises(Twiceproof::RefusedError) { Twiceproof::Guard.new(-> {}, job("lookup", settle: 1)) }
    assert_raises(Twiceproof::RefusedError) { Twiceproof::Guard.new(-> {}, job("hold"), table: "a; drop") }
    assert_raises(Twiceproof::RefusedError) { guard(nil, job).run(delivery) { nil } }
    assert_raises(Twiceproof::RefusedError) { guard(nil, job("hold")).run_tx(nil, delivery) { nil } }
    assert_raises(Twiceproof::RefusedError) { Twiceproof::Guard.new(-> { Object.new }, job("hold")).run(delivery) { nil } }
    assert_raises(Twiceproof::JobError) { Twiceproof::Guard.new(-> {}, job("hold", lease: 0)) }
    assert_raises(Twiceproof::KeyRefusedError) { guard(nil, job("hold")).run(delivery(nil)) { flunk } }
  end

  # Two threads would speak on it at once.
  def test_the_same_connection_again
    one = sqlite.connect
    guarded = Twiceproof::Guard.new(-> { one }, job("hold"), log: Logger.new(nil))
    own = guarded.instance_variable_get(:@own)
    error = guarded.run(delivery("1")) { own.lend { guarded.run(delivery("2")) { flunk } } }.error

    assert_match(/connect gave the same connection again/, error.message)
  ensure
    one&.close
  end

  TestDatabase::NAMES.each do |name|
    define_method("test_threads_act_once: #{name}") do
      @type = self.class.next_type
      guarded = guard(TestDatabase.named(name), job("hold"))
      acts = Queue.new
      outcomes = Array.new(8) { Thread.new { guarded.run(delivery) { acts << 1 }.outcome } }.map(&:value)

      assert_equal 1, acts.size
      assert_empty outcomes - %i[completed live]
    end

    # What the child does is over connections of its own, and what the parent has goes on.
    define_method("test_fork: #{name}") do
      @type = self.class.next_type
      database = TestDatabase.named(name)
      guarded = guard(database, job("hold"))
      guarded.run(delivery("before")) { nil }
      connections = guarded.instance_variable_get(:@own).instance_variable_get(:@free)
      before = connections[Process.pid].dup
      child = fork do
        TestDatabase.disown
        child(guarded)
      end
      Process.wait(child)

      assert_equal 0, $?.exitstatus # rubocop:disable Style/SpecialGlobalVars
      assert_equal(:completed, guarded.run(delivery("after")) { nil }.outcome)
      assert_equal before, connections[Process.pid]
    end
  end

  # It ends as a process does, and what it inherited is freed, but for what the tests do at their end.
  def child(guarded)
    Minitest.class_variable_get(:@@after_run).clear
    ok = guarded.run(delivery("in the child")) { nil }.outcome == :completed
    at_exit { $stderr.reopen(File::NULL) }
    exit(ok)
  end

  def test_a_lost_connection_is_replaced
    @type = self.class.next_type
    database = TestDatabase.named("postgres")
    guarded = guard(database, job("hold"))
    guarded.run(delivery("1")) { nil }
    database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'tests'")

    assert_equal(:completed, guarded.run(delivery("2")) { nil }.outcome)
  end

  # Newer frameworks connect again by themselves: there, on another connection, the effect would be without its claim.
  ENDED = {"postgres" => ->(raw) { "SELECT pg_terminate_backend(#{raw.backend_pid}, 5000)" },
           "mysql" => ->(raw) { "KILL #{raw.thread_id}" }}.freeze
  %w[bare active_record sequel].product(ENDED.to_a).each do |kind, (name, ended)|
    define_method("test_connection_lost_in_the_body: #{kind} #{name}") do
      @type = self.class.next_type
      @app = Application.named("#{kind} #{name}")
      guarded = guard(@app.database, job)
      result = guarded.run_tx(@app.connection, delivery) do
        @app.database.execute(ended.call(@app.raw))
        2.times { @app.insert(@type, "1") }
      end

      assert_equal [:released, 0, nil], [result.outcome, @app.database.effects(@type, "1"), record(@app.database)]
      @app.connect if kind == "bare"

      assert_equal(:completed, guarded.run_tx(@app.connection, delivery) { @app.insert(@type, "1") }.outcome)
      assert_equal [1, ["completed", 1, false]], [@app.database.effects(@type, "1"), record(@app.database)]
    end
  end

  # A thread that keeps its connection is not given it once more.
  ENDED.each do |name, ended|
    define_method("test_connection_lost_before: #{name}") do
      @type = self.class.next_type
      @app = Application.named("active_record #{name}")
      guarded = guard(@app.database, job)
      @app.database.execute(ended.call(@app.raw))
      assert_raises(Twiceproof::NotStoredError) { guarded.run_tx(@app.connection, delivery) { flunk } }

      assert_equal(:completed, guarded.run_tx(@app.connection, delivery) { @app.insert(@type, "1") }.outcome)
    end
  end

  def test_no_database
    sqlite
    connect = -> { PG.connect(host: "127.0.0.1", port: 1, connect_timeout: 1) }
    guarded = Twiceproof::Guard.new(connect, job("hold", lease: 1), log: Logger.new(nil))
    error = assert_raises(Twiceproof::NotStoredError) { guarded.run(delivery) { flunk } }

    assert_includes error.message, "claim operation"
  end

  # A completion is sent for as long as the lease, but not once the thread is to end.
  def test_a_thread_that_is_to_end_does_not_wait_for_the_lease
    @type = self.class.next_type
    database = TestDatabase.named("postgres")
    opened = []
    down = Queue.new
    connect = -> { down.empty? ? database.connect.tap { |c| opened << c } : raise(Errno::ECONNREFUSED) }
    guarded = Twiceproof::Guard.new(connect, job("hold", lease: 600), log: Logger.new(nil))
    thread = Thread.new { guarded.run(delivery) { opened.each(&:close) && (down << true) } }
    sleep 0.02 while down.empty?

    assert_nil thread.join(1)
    thread.kill
    assert thread.join(60)
    assert_equal ["claimed", 1, false], record(database)
  end

  # In MySQL the table is asked first: without its key, or on an engine that cannot roll back, nothing is claimed.
  UNFIT = {"no_key" => ["DROP PRIMARY KEY", "unique key"], "my_isam" => ["ENGINE=MyISAM", "no transactions"]}.freeze
  UNFIT.each do |name, (change, says)|
    define_method("test_unfit_table_is_refused: #{name}") do
      @type = self.class.next_type
      @app = Application.named("bare mysql")
      @app.database.execute("CREATE TABLE unfit LIKE idempotency_records")
      @app.database.execute("ALTER TABLE unfit #{change}")
      [-> { guard(@app.database, job("hold"), table: "unfit").run(delivery) { flunk } },
       -> { guard(@app.database, job, table: "unfit").run_tx(@app.connection, delivery) { flunk } }].each do |run|
        assert_includes assert_raises(Twiceproof::RefusedError, &run).message, says
      end

      assert_equal [["0"]], @app.database.execute("SELECT COUNT(*) FROM unfit")
    ensure
      @app.database.execute("DROP TABLE unfit")
    end
  end

  NAMES = {"host-1/7" => "host-1/7", "a\0b\n" => "a?b?", "a\xFF" => "a?", "\xE9".dup.force_encoding("ISO-8859-1") => "?",
           "é \u{1F600}" => "? ?", "w" * 300 => "w" * 255}.freeze

  TestDatabase::NAMES.each do |name|
    define_method("test_workers_name_stops_nothing: #{name}") do
      database = TestDatabase.named(name)
      kept = NAMES.keys.map do |worker|
        @type = self.class.next_type
        assert_equal :completed, guard(database, job("hold"), worker: worker).run(delivery) { nil }.outcome
        database.execute("SELECT claimed_by FROM idempotency_records WHERE job_type = '#{@type}'").first.first
      end

      assert_equal NAMES.values, kept
    end
  end

  # What an application sets up for itself changes nothing.
  SETUPS = {
    "postgres" => lambda do |c|
      c.type_map_for_results = PG::BasicTypeMapForResults.new(c)
      c.type_map_for_queries = PG::BasicTypeMapForQueries.new(c)
      c.exec("SET client_encoding TO LATIN1")
    end,
    "mysql" => lambda do |c|
      c.query_options.merge!(as: :hash, symbolize_keys: true, cast_booleans: true, stream: true)
      c.query("SET NAMES latin1")
      c.query("SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'")
    end,
    "sqlite" => ->(c) { c.results_as_hash = true }
  }.freeze

  SETUPS.each do |name, set_up|
    define_method("test_set_up: #{name}") do
      @type = self.class.next_type
      database = TestDatabase.named(name)
      connect = -> { database.connect.tap(&set_up) }
      guarded = Twiceproof::Guard.new(connect, job("accept_duplicate"), log: Logger.new(nil), worker: "é'\\")
      refused = guarded.run(delivery("é'\\")) { raise Twiceproof::NotApplied }
      result = guarded.run(delivery("é'\\")) { |op| op.result = "'\\\xE9" }
      again = guarded.run(delivery("é'\\")) { flunk }
      guarded.close

      assert_equal %i[released completed completed], [refused, result, again].map(&:outcome)
      assert_equal ["'\\\xE9".b, true], [again.value, again.repeat?]
    end
  end

  # A callback that swallows an error makes PostgreSQL's COMMIT roll back, quietly.
  class Swallowing < ActiveRecord::Base
    self.table_name = "effects"
    before_commit { swallow }

    def swallow
      self.class.connection.execute("SELECT * FROM a_table_that_is_not_there")
    rescue ActiveRecord::StatementInvalid
      nil
    end
  end

  def test_a_callback_that_swallows_an_error
    @type = self.class.next_type
    @app = Application.named("active_record postgres")
    guarded = guard(@app.database, job)
    make = proc { Swallowing.create!(job: @type, item: "1") }
    # The control: nobody is told.
    @app.unguarded(&make)
    assert_equal 0, @app.database.effects(@type, "1")

    assert_raises(Twiceproof::BodyError) { guarded.run_tx(@app.connection, delivery, &make) }
    assert_nil record(@app.database)
  end

  def test_the_statements_are_those_of_the_repository
    assert system(File.join(ROOT, "ruby", "sync"), "--check")
  end

  # Loading needs no driver and no framework.
  def test_it_loads_alone
    lib = File.join(ROOT, "ruby", "lib")
    code = 'require "twiceproof"; exit defined?(PG) || defined?(Mysql2) || defined?(SQLite3) || defined?(ActiveRecord) ? 1 : 0'

    assert system(RbConfig.ruby, "-w", "-I", lib, "-e", code)
  end
end
