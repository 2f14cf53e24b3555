# frozen_string_literal: true

require "active_job"
require "sidekiq"
require_relative "guarded_test"
require_relative "sidekiq_world"

# Guarded jobs without a worker, and what a class of jobs may say.
class JobTest < GuardedTest
  def setup
    super
    @type = self.class.next_type
    @log = StringIO.new
    Twiceproof.configuration.log = Logger.new(@log)
    @database = TestDatabase.named("sqlite")
    @acts = []
  end

  def teardown
    Twiceproof.instance_variable_set(:@configuration, nil)
    super
  end

  def test_called_without_a_worker
    acts = @acts
    made = job_class(guard(@database, job("hold"))) do |key, amount|
      acts << [key, amount, operation.key, operation.body]
      operation.result = "kept"
      :returned
    end

    assert_equal [:returned, "kept"], [made.new.perform("1", 5), made.new.perform("1", 5)]
    assert_equal [["1", 5, "1", ["1", 5]]], @acts
  end

  # Nothing keeps a message, so whoever calls is told.
  def test_without_a_worker_not_acted
    inside = Queue.new
    open = Queue.new
    made = job_class(guard(@database, job("hold"))) do |_|
      inside << true
      open.pop
    end
    thread = Thread.new { made.new.perform("1") }
    inside.pop

    assert_refused(Twiceproof::NotActedError, /another worker has the claim: key 1/) { made.new.perform("1") }
    open << true
    thread.join
    failing = job_class(guard(@database, job("hold"))) { |_| raise IOError, "lost" }
    assert_raises(IOError) { failing.new.perform("2") }
    assert_refused(Twiceproof::NotActedError, /held for a person: key 2/) { failing.new.perform("2") }
  end

  # They never come into perform: its record would be in doubt for nothing.
  def test_arguments_that_perform_does_not_take
    made = job_class(guard(@database, job("hold"))) { |_, _, _ = nil| nil }
    child = Class.new(made) { define_method(:perform) { |*all| super(*all) } }
    [["1"], ["1", 2, 3, 4]].each do |given|
      assert_raises(ArgumentError) { made.new.perform(*given) }
      assert_nil record(@database)
    end
    assert_raises(ArgumentError) { child.new.perform("1") }

    assert_equal ["claimed", 1, true], record(@database), "who takes any number has let it in"
    made.new.perform("2", 2)
    made.new.perform("3", 2, 3)

    assert_equal [["completed", 1, false]] * 2, [record(@database, "2"), record(@database, "3")]
  end

  # In each class of the line, and once.
  def test_subclasses_with_a_perform_of_their_own
    acts = @acts
    base = job_class(guard(@database, job("hold"))) { |key| acts << [:base, key] }
    child = Class.new(base) { define_method(:perform) { |key| acts << [:child, key, super(key).size] } }
    grandchild = Class.new(child) { define_method(:perform) { |key| acts << [:own, key, operation.key] } }
    2.times { child.new.perform("1") }
    2.times { grandchild.new.perform("2") }

    assert_equal [[:base, "1"], [:child, "1", 1], [:own, "2", "2"]], @acts
  end

  # It would be the guarded perform itself, which comes back to the new one.
  def test_an_alias_of_a_perform_that_is_replaced
    made = job_class(guard(@database, job("hold"))) { |_| nil }
    made.alias_method(:perform_without_trace, :perform)
    error = assert_raises(Twiceproof::RefusedError) { made.define_method(:perform) { |key| perform_without_trace(key) } }

    assert_match(/perform_without_trace is an alias of perform, which is replaced/, error.message)
    traced = Module.new { define_method(:perform) { |key| super(key) } }
    acts = @acts
    other = job_class(guard(@database, job("hold"))) { |key| acts << key }
    other.alias_method(:call, :perform)
    other.prepend(traced)
    other.new.call("1")
    other.new.perform("1")

    assert_equal ["1"], @acts
  end

  def test_a_class_that_names_no_job
    made = Class.new do
      include Twiceproof::Job
      def perform; end
    end

    assert_refused(Twiceproof::RefusedError, /names no job/) { made.new.perform }
  end

  def test_iterable_job
    skip "it is of Sidekiq 7.3 and later" if SidekiqWorld::VERSION < Gem::Version.new("7.3")
    type = @type
    above = lambda do
      Class.new do
        include Sidekiq::IterableJob
        include Twiceproof::Job
        twiceproof type
      end
    end
    below = Class.new do
      include Twiceproof::Job
      twiceproof type
      include Sidekiq::IterableJob
    end
    [above, -> { below.new.perform("1") }].each do |each|
      assert_refused(Twiceproof::RefusedError, /it makes many effects under one key/, &each)
    end
  end

  def test_operation_outside_of_perform
    made = job_class(guard(@database, job("hold"))) { |_| nil }

    assert_raises(Twiceproof::RefusedError) { made.new.operation }
    assert_raises(Twiceproof::RefusedError) { made.new.twiceproof_transaction { flunk } }
  end

  # Symbols and the like are what a queue makes of them.
  def test_arguments_as_on_a_queue
    acts = @acts
    made = job_class(guard(@database, job("hold"))) { |key, **more| acts << [key, more] }
    made.new.perform(:"1", amount: 5)
    made.new.perform("1", "amount" => 5)

    assert_equal [[:"1", {amount: 5}]], @acts
  end

  # By the same key as from its queue, in ActiveJob's serialized form.
  def test_active_job
    acts = @acts
    guarded = guard(@database, job("hold", key: "args[0].order_id"))
    made = job_class(guarded, of: ActiveJob::Base) { |order, mode: nil| acts << [order, mode] }
    self.class.const_set(:AnyJob, made)
    made.logger = Logger.new(nil)
    made.perform_now({order_id: 7}, mode: "well")
    ActiveJob::Base.execute(JSON.parse(JSON.generate(made.new({order_id: 7}, mode: "well").serialize)))

    assert_equal [[{order_id: 7}, "well"]], @acts
    assert_equal ["completed", 1, false], record(@database, "7")
  end

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

  def test_twiceproof_transaction_of_an_outside_effect
    made = job_class(guard(@database, job("hold"))) { |_| twiceproof_transaction { raise "entered" } }

    assert_refused(Twiceproof::RefusedError, /its effect is no row of its own/) { made.new.perform("1") }
  end

  def test_twiceproof_transaction_is_called_once
    @app = Application.named("sequel sqlite")
    app = @app
    type = @type
    made = job_class(guard(@app.database, job), application: -> { app.connection }, transaction: :block) do |_|
      2.times { twiceproof_transaction { app.insert(type, "1") } }
    end

    assert_raises(Twiceproof::RefusedError) { made.new.perform("1") }
    assert_equal 1, @app.database.effects(@type, "1")
  end

  # The message waits, and takes none of its retries.
  def test_database_away
    away = Twiceproof::Guard.new(-> { raise Errno::ECONNREFUSED }, job("hold", lease: 1), log: Logger.new(nil))
    made = job_class(away) { |_| raise "entered" }
    world = SidekiqWorld.of("postgres")
    Sidekiq.configure_client { |config| config.redis = {url: world.url} }
    world.redis.flushall
    deliver_job(made, "1")
    (member, at), = world.redis.zrange("schedule", 0, -1, with_scores: true)

    assert_equal({"class" => "AJob", "args" => ["1"], "jid" => "1", "queue" => "default"}, JSON.parse(member))
    assert_in_delta Time.now.to_f + 10, at, 4
    assert_match(/put back for \d+\.\ds: nothing could be stored/, @log.string)
    assert_raises(Twiceproof::NotStoredError) { made.new.perform("1") }
  end

  # It would not know its message, which only shows when it is to be put back.
  def test_whether_a_retry_is_left
    now = Time.now.to_f
    {
      {} => false, {"retry" => false} => true, {"retry" => 0} => true, {"retry" => 2, "retry_count" => 0} => false,
      {"retry" => 2, "retry_count" => 1} => true, {"retry_count" => 24} => true, {"retry_for" => 60} => false,
      {"retry_for" => 60, "failed_at" => now - 61} => true, {"retry_for" => 60, "failed_at" => now - 50} => false,
      {"retry_for" => 60, "failed_at" => ((now - 61) * 1000).to_i} => true,
      {"retry_for" => 60, "failed_at" => (now * 1000).to_i} => false
    }.each { |given, last| assert_equal last, Twiceproof::SidekiqDelivery.new(nil, given, "default").last?, given.to_s }
  end

  def test_loaded_after_sidekiq_has_started
    made = job_class(guard(@database, job("hold"))) { |_| raise "entered" }
    worker = made.new
    worker.define_singleton_method(:jid) { "12" }
    Sidekiq::Context.with(jid: "12") do
      assert_refused(Twiceproof::RefusedError, /before this gem was loaded/) { worker.perform("1") }
    end
  end

  def test_in_sidekiqs_testing_modes
    require "sidekiq/testing"
    Sidekiq.configure_client { |config| config.redis = {url: SidekiqWorld.of("postgres").url} } # newer ones ask once
    made = job_class(guard(@database, job("hold")), worker: true, &->(key) { acts << key })
    acts = @acts
    made.define_method(:acts) { acts }
    self.class.const_set(:TestedJob, made)
    Sidekiq::Testing.inline! { made.perform_async("1") }
    Sidekiq::Testing.fake! do
      2.times { made.perform_async("1") }
      made.perform_async("2")
      made.drain
    end

    assert_equal %w[1 2], @acts
  ensure
    Sidekiq::Testing.disable!
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
