# frozen_string_literal: true

require "sidekiq"
require_relative "guarded_test"
require_relative "logged_jobs"
require_relative "sidekiq_world"

# Where a job's guard and its rows go: the databases of ActiveRecord, its shards, the job file and what it says.
class JobDatabasesTest < GuardedTest
  include LoggedJobs

  # The guard's own connections are beside ActiveRecord's pool, to the same database.
  TestDatabase::NAMES.each do |name|
    define_method("test_beside_active_record: #{name}") do
      @app = Application.named("active_record #{name}")
      connection = Twiceproof::BesideActiveRecord.connect(Twiceproof::BesideActiveRecord.config(ActiveRecord::Base))
      driver = Twiceproof::Driver.of(connection)
      ActiveRecord::Base.connection.transaction do
        @app.insert(@type, "1")

        assert_equal 0, driver.run(connection, "SELECT COUNT(*) FROM effects WHERE job = '#{@type}'").rows[0][0].to_i
        assert_equal @app.driver.dialect, driver.dialect
      end
    ensure
      connection.close
    end
  end

  # The records of each shard are in it, whichever came first, and in whichever role.
  TestDatabase::NAMES.first(2).each do |name|
    define_method("test_shards: #{name}") do
      @app = Application.named("active_record #{name}")
      each_shard do |base|
        settings = Twiceproof::JobSettings.new(@type)
        2.times do
          %i[one two].each do |shard|
            base.connected_to(role: :writing, shard: shard) { settings.run(delivery(shard.to_s)) { @acts << shard } }
          end
        end

        assert_equal %i[one two], @acts
        assert_equal [[["one"]], [["two"]]], (%i[one two].map { |shard| keys_in(base, shard) })
      ensure
        Twiceproof::JobSettings.all.delete(settings)
      end
    end
  end

  # One that is rolled back takes what the effect relied on away.
  def test_an_outside_effect_within_a_transaction
    @app = Application.named("active_record postgres")
    acts = @acts
    made = job_class(guard(@app.database, job("hold"))) { |_| acts << 1 }
    error = assert_raises(Twiceproof::RefusedError) { ActiveRecord::Base.transaction { made.new.perform("1") } }

    assert_match(/a transaction is open on the application's connection/, error.message)
    assert_equal [[], nil], [@acts, record(@app.database)]
    made.new.perform("1")

    assert_equal [1], @acts
  end

  # In another database of ActiveRecord's than the configured one as well.
  def test_an_outside_effect_within_a_transaction_elsewhere
    @app = Application.named("active_record postgres")
    acts = @acts
    made = job_class(guard(@app.database, job("hold"))) { |_| acts << 1 }
    other = Class.new(ActiveRecord::Base) { self.abstract_class = true }
    self.class.const_set(:OtherRecord, other)
    other.establish_connection(adapter: "sqlite3", database: @database.path)
    error = assert_raises(Twiceproof::RefusedError) { other.transaction { made.new.perform("1") } }

    assert_match(/a transaction is open on the application's connection to #{@database.path}/, error.message)
    assert_equal [[], nil], [@acts, record(@app.database)]
    made.new.perform("1")

    assert_equal [1], @acts
  ensure
    other&.remove_connection
  end

  # The message waits, and takes none of its retries.
  def test_database_away
    away = Twiceproof::Guard.new(-> { raise Errno::ECONNREFUSED }, job("hold", lease: 1), log: Logger.new(nil))
    made = job_class(away) { |_| raise "entered" }
    world = SidekiqWorld.of("postgres")
    Sidekiq.configure_client { |config| config.redis = {url: world.url} }
    world.redis.flushall
    began = Time.now.to_f
    deliver_job(made, "1")
    (member, at), = world.redis.zrange("schedule", 0, -1, with_scores: true)

    assert_equal({"class" => "AJob", "args" => ["1"], "jid" => "1", "queue" => "default"}, JSON.parse(member))
    assert_includes began + 10..Time.now.to_f + 13, at
    assert_match(/put back for \d+\.\ds: nothing could be stored/, @log.string)
    assert_raises(Twiceproof::NotStoredError) { made.new.perform("1") }
  end

  # Asked when Sidekiq's server starts.
  def test_check_refuses_what_is_not_sound
    Dir.mktmpdir do |dir|
      File.write("#{dir}/twiceproof.yaml", "version: 1\njobs: {a.job: #{JSON.generate(sound.merge("queue" => "celery"))}}")
      settings = Twiceproof::JobSettings.new("a.job")
      Twiceproof.configure { |config| config.job_file = "#{dir}/twiceproof.yaml" }

      assert_refused(Twiceproof::RefusedError, /its queue is celery; write queue: sidekiq/) { settings.guard }
      assert_raises(Twiceproof::JobFileError) { Twiceproof::JobSettings.new("another").guard }
    end
  ensure
    Twiceproof::JobSettings.all.pop(2)
  end

  # Where one has acted for a key, another's effect would be missing.
  def test_a_second_class_under_the_name_of_a_job
    with_job_file("effect" => {"kind" => "outside"}, "stale_claim" => {"policy" => "hold"}) do
      Twiceproof.configuration.connect = -> { @database.connect }
      2.times do # loaded again
        charged = named(:ChargedJob)
        [charged, named(:ChildJob, charged)].each { |job| assert_equal @type, job.twiceproof_settings.guard.job.type }
      end
      words = /guards JobDatabasesTest::ChargedJob, and JobDatabasesTest::RefundedJob would be skipped/
      assert_refused(Twiceproof::RefusedError, words) { named(:RefundedJob).twiceproof_settings.guard }
    end
  ensure
    Twiceproof::JobSettings.all.reject! { |settings| settings.type == @type }
  end

  # All jobs of a process have the guard's connections in common.
  def test_connections_are_shared
    opened = 0
    Dir.mktmpdir do |dir|
      outside = sound.merge("queue" => "sidekiq", "effect" => {"kind" => "outside"}, "stale_claim" => {"policy" => "hold"})
      jobs = {"#{@type}.one" => outside, "#{@type}.two" => outside}
      File.write("#{dir}/twiceproof.yaml", "version: 1\njobs: #{JSON.generate(jobs)}")
      Twiceproof.configure do |config|
        config.job_file = "#{dir}/twiceproof.yaml"
        config.connect = -> { @database.connect.tap { opened += 1 } }
      end
      guards = jobs.keys.map { |type| Twiceproof.configuration.guard(type, nil) }
      @guards.concat(guards)
      outcomes = guards.map { |guard| guard.run(delivery) { nil }.outcome }

      assert_equal [%i[completed completed], 1], [outcomes, opened]
    end
  end

  private

  def named(name, parent = Object)
    type = @type
    self.class.send(:remove_const, name) if self.class.const_defined?(name, false)
    self.class.const_set(name, Class.new(parent) { include Twiceproof::Job }).tap { |job| job.twiceproof(type) }
  end

  # Two databases, and the guard's job file and its connections as an application has them.
  def each_shard
    database = @app.database
    names = {one: "tests", two: "shard#{@type[/\d+\z/]}"}
    database.execute("CREATE DATABASE #{names[:two]}")
    database.connect(names[:two]).tap { |c| c.query(Twiceproof::Statements.new.text(database.dialect, "schema")) }.close
    config = ActiveRecord::Base.connection_db_config.configuration_hash
    ActiveRecord::Base.connects_to(shards: names.transform_values { |name| {writing: config.merge(database: name)} })
    with_job_file("effect" => {"kind" => "outside"}, "stale_claim" => {"policy" => "hold"}) { yield ActiveRecord::Base }
  end

  def with_job_file(**job)
    Dir.mktmpdir do |dir|
      jobs = {@type => sound.merge("queue" => "sidekiq", **job)}
      File.write("#{dir}/twiceproof.yaml", "version: 1\njobs: #{JSON.generate(jobs)}")
      Twiceproof.configure { |config| config.job_file = "#{dir}/twiceproof.yaml" }
      yield
    end
  end

  def keys_in(base, shard)
    base.connected_to(role: :writing, shard: shard) do
      base.connection.select_rows("SELECT operation_key FROM idempotency_records WHERE job_type = '#{@type}'")
    end
  end

  def assert_refused(error, words, &call)
    assert_match(words, assert_raises(error, &call).message)
  end

  def sound
    {"operation" => {"key" => ["args[0]"]}, "effect" => {"kind" => "own_row"}, "longest_run" => "1s", "lease" => "2s"}
  end
end
