# frozen_string_literal: true

require "active_job"
require "sidekiq"
require_relative "guarded_test"
require_relative "logged_jobs"
require_relative "sidekiq_world"

# Guarded jobs without a worker, and what a class of jobs may say.
class JobTest < GuardedTest
  include LoggedJobs

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

  def test_without_a_worker_nothing_stands_beside_the_arguments
    made = job_class(guard(@database, job("hold", key: "job.tenant"))) { |_| raise "entered" }

    assert_refused(Twiceproof::KeyRefusedError, /job.tenant is absent/) { made.new.perform("1") }
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

  if SidekiqWorld::VERSION >= Gem::Version.new("7.3")
    def test_iterable_job
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

  def test_twiceproof_transaction_of_an_outside_effect
    made = job_class(guard(@database, job("hold"))) { |_| twiceproof_transaction { raise "entered" } }

    assert_refused(Twiceproof::RefusedError, /its effect is no row of its own/) { made.new.perform("1") }
  end

  # All of perform is its transaction, or its block raises, or ends the transaction by itself.
  def test_twiceproof_transaction_and_how_it_ends
    @app = Application.named("bare sqlite")
    app = @app
    type = @type
    settings = {application: -> { app.connection }}
    joined = job_class(guard(@app.database, job), **settings) { |key| twiceproof_transaction { app.insert(type, key) } }
    joined.new.perform("1")
    ends = {"2" => [-> { raise IOError }, IOError], "3" => [-> { app.raw.execute("COMMIT") }, Twiceproof::BodyError]}
    ends.each do |key, (ending, error)|
      made = job_class(guard(@app.database, job), **settings, transaction: :block) do |item|
        twiceproof_transaction { app.insert(type, item).then { ending.call } }
      end
      assert_raises(error) { made.new.perform(key) }
    end

    assert_equal([1, 0, 1], %w[1 2 3].map { |item| @app.database.effects(@type, item) })
    assert_equal(["completed", nil, "held"], %w[1 2 3].map { |key| record(@app.database, key)&.first })
  end

  # Nobody is notified of what no worker does.
  def test_without_a_worker_taken_over
    made = job_class(guard(@database, job("accept_duplicate"))) { |_| (@tries = @tries.to_i + 1) == 1 ? raise(IOError) : :done }
    called = made.new
    assert_raises(IOError) { called.perform("1") }
    @database.change(@type, "1", @database.older("claimed_at", 120_000))

    assert_equal :done, called.perform("1")
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

  # It would not know its message, which only shows when it is to be put back.
  def test_whether_a_retry_is_left
    now = Time.now.to_f
    {
      {} => false, {"retry" => false} => true, {"retry" => 0} => true, {"retry" => 2, "retry_count" => 0} => false,
      {"retry" => 2, "retry_count" => 1} => true, {"retry_count" => 24} => true, {"retry_for" => 60} => false,
      {"retry_for" => 60, "failed_at" => now - 61} => true, {"retry_for" => 60, "failed_at" => now - 50} => false,
      {"retry_for" => 60, "failed_at" => ((now - 61) * 1000).to_i} => true,
      {"retry_for" => 60, "failed_at" => (now * 1000).to_i} => false,
      {"retry_for" => 60, "failed_at" => now, "retry" => 2, "retry_count" => 1} => SidekiqWorld::VERSION < Gem::Version.new("8.1")
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

  private

  def assert_refused(error, words, &call)
    assert_match(words, assert_raises(error, &call).message)
  end
end
