# frozen_string_literal: true

require "open3"
require "sidekiq"
require_relative "guarded_test"
require_relative "sidekiq_world"

# What an application configures, and connections that are set up in a way that the guard cannot stand on.
class ConfiguredTest < GuardedTest
  def setup
    super
    @type = self.class.next_type
    Twiceproof.configuration.log = Logger.new(nil)
  end

  def teardown
    Twiceproof.instance_variable_set(:@configuration, nil)
    super
  end

  # Neither Rails nor Sidekiq, nor any notifications.
  def test_a_job_without_a_framework
    Dir.mktmpdir do |dir|
      File.write("#{dir}/twiceproof.yaml", job_file("outside"))
      SQLite3::Database.new("#{dir}/db").execute_batch(Twiceproof::Statements.new.text("sqlite", "schema"))
      out, status = alone(dir, <<~RUBY)
        begin; AJob.new.perform("1"); rescue Twiceproof::RefusedError => e; puts e.message[/no database is known/]; end
        Twiceproof.configuration.connect = -> { SQLite3::Database.new("db") }
        2.times { AJob.new.perform("1") }
      RUBY

      assert_equal ["no database is known\nacted on 1\n", true], [out, status.success?]
    end
  end

  # For all jobs: where their rows are written, and where no transaction may be open.
  def test_one_application_for_all_jobs
    @app = Application.named("bare postgres")
    Twiceproof.configuration.application = -> { @app.connection }
    app = @app
    type = @type
    2.times { job_class(guard(@app.database, job)) { |key| app.insert(type, key) }.new.perform("1") }
    @app.unguarded do
      outside = job_class(guard(@app.database, job("hold"))) { |_| raise "entered" }
      assert_raises(Twiceproof::RefusedError) { outside.new.perform("2") }
    end

    assert_equal 1, @app.database.effects(@type, "1")
  end

  # The pool is empty, the database away: the message stays, and no retry is spent.
  def test_no_connection_of_the_application
    made = job_class(own_row, application: -> { raise ActiveRecord::ConnectionTimeoutError }) { |_| raise "entered" }
    world = SidekiqWorld.of("postgres")
    Sidekiq.configure_client { |config| config.redis = {url: world.url} }
    world.redis.flushall
    deliver_job(made, "1")

    assert_equal 1, world.redis.zcard("schedule")
    assert_raises(Twiceproof::NotStoredError) { made.new.perform("1") }
    refusing = job_class(own_row, application: -> { raise Twiceproof::RefusedError, "no" }) { |_| raise "entered" }
    deliver_job(refusing, "2")

    assert_equal 2, world.redis.zcard("schedule")
    assert_raises(Twiceproof::RefusedError) { refusing.new.perform("1") }
  end

  # A claim that is not committed at once, and rows that are not there.
  UNSOUND = {
    "an open transaction" => ["postgres", "BEGIN", /with an open transaction/],
    "no autocommit" => ["mysql", "SET autocommit = 0", nil], # set on by the guard
    "dirty reads" => ["mysql", "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED", /reads what is not committed/]
  }.freeze
  UNSOUND.each do |what, (name, sql, says)|
    define_method("test_a_connection_of_the_guard_with #{what}") do
      database = TestDatabase.named(name)
      guarded = Twiceproof::Guard.new(-> { database.connect.tap { |c| c.query(sql) } }, job("hold"), log: Logger.new(nil))
      @guards << guarded
      if says
        assert_match says, assert_raises(Twiceproof::RefusedError) { guarded.run(delivery) { flunk } }.message
        assert_nil record(database)
      else
        assert_equal :completed, guarded.run(delivery) { nil }.outcome
        assert_equal "completed", record(database)[0]
      end
    end
  end

  # What the application has set for itself holds for the guard's own as well.
  def test_beside_active_record_with_settings_of_its_own
    database = TestDatabase.named("postgres")
    database.execute("CREATE SCHEMA IF NOT EXISTS beside")
    beside = beside(database, schema_search_path: "beside", variables: {"statement_timeout" => "7s"})

    assert_equal(%w[beside 0], %w[search_path statement_timeout].map { |name| shown(beside, name) })
    limited = beside(database)

    assert_equal "5s", shown(limited, "statement_timeout")
  ensure
    [beside, limited].compact.each(&:close)
  end

  # A setting would be handed on with the connection, to the application's own statements.
  def test_beside_active_record_behind_a_pooler
    database = TestDatabase.named("postgres")
    bouncer = Server.pgbouncer(database.address[:port], "transaction", 2)
    bouncer.wait { PG.connect(host: "127.0.0.1", port: bouncer.port, user: "postgres", dbname: "tests") }
    beside = beside(database, port: bouncer.port)

    assert_equal "0", shown(beside, "statement_timeout")
  ensure
    beside&.close
    bouncer&.stop
  end

  def test_beside_active_record_refuses
    [{adapter: "oracle"}, {adapter: "sqlite3", database: ":memory:"}].each do |config|
      assert_raises(Twiceproof::RefusedError) { Twiceproof::BesideActiveRecord.connect(config) }
    end
  end

  def test_what_a_class_may_not_say
    assert_raises(ArgumentError) { Twiceproof::JobSettings.new("a.job", transaction: :some) }
    assert_raises(TypeError) { Twiceproof::Operation.new("1", "r", nil, 0).result = 1 }
  end

  private

  def own_row
    guard(TestDatabase.named("sqlite"), job)
  end

  def job_file(kind)
    fields = {"queue" => "sidekiq", "operation" => {"key" => ["args[0]"]}, "effect" => {"kind" => kind},
              "stale_claim" => {"policy" => "hold"}, "longest_run" => "1s", "lease" => "9s"}
    "version: 1\njobs: #{JSON.generate("a.job" => fields)}"
  end

  # What a process prints that has the gem and a driver only.
  def alone(dir, code)
    job = <<~RUBY
      require "sqlite3"
      require "twiceproof"
      class AJob
        include Twiceproof::Job
        twiceproof "a.job"
        def perform(key)
          puts "acted on \#{key}"
        end
      end
    RUBY
    Open3.capture2(RbConfig.ruby, "-W0", "-I", File.join(ROOT, "ruby", "lib"), "-e", job + code, chdir: dir)
  end

  def shown(connection, name)
    connection.exec("SHOW #{name}").getvalue(0, 0)
  end

  def beside(database, **more)
    address = database.address
    config = {adapter: "postgresql", host: address[:host], port: address[:port], username: address[:user], database: "tests"}
    Twiceproof::BesideActiveRecord.connect(config.merge(more))
  end
end
