# frozen_string_literal: true

# The application that the workers run: jobs with and without the guard. Its settings come in the environment.

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))

require "json"
require "logger"
require "socket"
require "active_record"
require "active_job"
require "sidekiq"
require "twiceproof/sidekiq"

Redis.silence_deprecations = true if defined?(Redis) # of Redis 5
JOBS = JSON.parse(ENV.fetch("JOBS")).transform_keys(&:to_sym)
Worker = defined?(Sidekiq::Job) ? Sidekiq::Job : Sidekiq::Worker

# It ends with the tests, however they end.
Thread.new do
  $stdin.read
  exit!
end

# To the till in the test's process.
module Tell
  def self.it(step, key, **more)
    socket = TCPSocket.new("127.0.0.1", JOBS[:till])
    socket.puts(JSON.generate({step: step, key: key.to_s, pid: Process.pid, **more}))
    JSON.parse(socket.gets || "null")
  ensure
    socket&.close
  end
end

# What counts a job's success or failure as a batch does, from behind the guard's own middleware.
class Counting
  def call(_worker, payload, _queue)
    yield
    Tell.it("success", payload["jid"])
  rescue Exception # rubocop:disable Lint/RescueException -- as batches do
    Tell.it("failure", payload["jid"])
    raise
  end
end

# What some middleware does with the rest of the line.
class Elsewhere
  def call(_worker, payload, _queue, &rest)
    case payload["elsewhere"]
    when "thread" then Thread.new(&rest).tap { |thread| thread.report_on_exception = false }.value
    when "fiber" then Fiber.new(&rest).resume
    when "caught" then catch(:nowhere, &rest)
    else yield
    end
  end
end

Sidekiq.configure_server do |config|
  config.redis = {url: JOBS[:redis]}
  options = config.respond_to?(:options) ? config.options : config
  options[:poll_interval_average] = options[:average_scheduled_poll_interval] = 1
  config.server_middleware { |chain| [Counting, Elsewhere].each { |each| chain.add(each) } }
  config.error_handlers << ->(error, given, *) { Tell.it("told", given.dig(:job, "jid"), error: error.class.name) }
  if config.respond_to?(:options) && config.options[:environment] == "reliable_fetch"
    require "sidekiq-reliable-fetch"
    Sidekiq::ReliableFetch.setup_reliable_fetch!(config)
  end
  config.capsule("aside") { |capsule| capsule.queues = %w[aside] } if config.respond_to?(:capsule)
  config.on(:startup) { Tell.it("ready", Process.pid) }
end
ActiveRecord::Base.establish_connection(**JOBS[:database].transform_keys(&:to_sym), pool: 10)

Twiceproof.configure { |config| config.job_file = File.expand_path("sidekiq.yaml", __dir__) }

%w[skipped put_back taken_over held].each do |event|
  ActiveSupport::Notifications.subscribe("#{event}.twiceproof") do |*, given|
    Tell.it(event, given[:result]&.key || given[:job].class.name, **given.slice(:reason, :countdown))
    raise "a subscriber that fails changes nothing"
  end
end

# What each job does, and how it is left.
module Body
  def act(key, mode)
    Tell.it("before", key)
    leave(mode.delete_prefix("early_")) if mode.start_with?("early")
    Tell.it("charge", key, reference: reference)
    leave(mode.delete_prefix("late_")) if mode.start_with?("late")
    Tell.it("after", key)
  end

  def leave(mode)
    case mode
    when "raise" then raise "the answer was lost"
    when "refused" then raise Errno::ECONNREFUSED
    when "not_applied" then raise Twiceproof::NotApplied, "surely not"
    when "throw" then catch(:out) { throw :nowhere }
    when "exit" then exit
    when "sleep" then long_call
    when "hide" then long_call(cause: nil)
    end
  end

  # A client that makes an error of its own of whatever ends it.
  def long_call(**more)
    sleep
  rescue Exception # rubocop:disable Lint/RescueException -- as some clients do
    raise RuntimeError, "the call was interrupted", **more
  end

  def reference; end
end

class PlainJob # :nodoc:
  include Worker
  include Body

  def perform(key, mode)
    act(key, mode)
  end
end

class ChargeJob # :nodoc:
  include Worker
  include Twiceproof::Job
  include Body
  sidekiq_options retry: 2
  sidekiq_retries_exhausted { |job, error| Tell.it("exhausted", job["args"][0], error: error.class.name) }
  twiceproof "charge.create", look_up: ->(op) { Tell.it("look_up", op.key, reference: op.reference) },
                              not_applied: [Errno::ECONNREFUSED]

  def perform(key, mode, _amount = 0)
    operation.check
    act(key, mode)
  end

  def reference
    operation.reference
  end
end

class QuickJob < ChargeJob # :nodoc:
  twiceproof "quick.charge", look_up: ->(op) { Tell.it("look_up", op.key, reference: op.reference) }

  def perform(*)
    Tell.it("subclass", operation.key)
    super
  end
end

class RenamedJob < ChargeJob # :nodoc:
end

class TenantJob < ChargeJob # :nodoc:
  twiceproof "tenant.charge"
end

# It is told of an order whose row may not be there yet.
class OrderJob < ChargeJob # :nodoc:
  twiceproof "order.charge", not_applied: [ActiveRecord::RecordNotFound]

  def perform(key)
    ActiveRecord::Base.connection.select_value("SELECT 1 FROM effects WHERE job = 'order' AND item = '#{key}'") or
      raise ActiveRecord::RecordNotFound
    act(key, "well")
  end
end

class UntoldOrderJob < OrderJob # :nodoc:
  twiceproof "order.charge"
end

class ForgetfulJob < ChargeJob # :nodoc:
  twiceproof "quick.charge", look_up: ->(op) { Tell.it("look_up", op.key, reference: op.reference) }

  def self.inherited(_subclass); end # rubocop:disable Lint/MissingSuper -- as some do
end

class ForgottenJob < ForgetfulJob # :nodoc:
  def perform(key)
    Tell.it("charge", key)
  end
end

# What a subclass gets its perform from.
module Performing
  def perform(key)
    Tell.it("charge", key)
  end
end

class MixedJob < ForgetfulJob # :nodoc:
  include Performing
end

class InlineJob # :nodoc:
  include Worker

  def perform(key)
    ChargeJob.perform_inline(key, "well")
  rescue Twiceproof::NotActedError
    Tell.it("not_acted", key)
  end
end

class BookingJob # :nodoc:
  include Worker
  include Twiceproof::Job
  include Body
  twiceproof "booking.create"

  def perform(key, mode)
    insert(key)
    act(key, mode)
    insert(key)
  end

  def insert(key)
    ActiveRecord::Base.connection.execute("INSERT INTO effects (job, item) VALUES ('booking.create', '#{key}')")
  end
end

class PlainBookingJob # :nodoc:
  include Worker
  include Body

  def perform(key, mode)
    ActiveRecord::Base.transaction do
      ActiveRecord::Base.connection.execute("INSERT INTO effects (job, item) VALUES ('booking.create', '#{key}')")
      act(key, mode)
    end
  end
end

class BlockJob < BookingJob # :nodoc:
  twiceproof "booking.create", transaction: :block

  def perform(key, mode)
    Tell.it("outside", key)
    twiceproof_transaction { super } unless mode == "forgets"
    Tell.it("outside", key)
  end
end

ActiveJob::Base.queue_adapter = :sidekiq
ActiveJob::Base.logger = Logger.new(nil)
ActiveJob::Base.include(Worker::Options) unless ActiveJob::Base.respond_to?(:sidekiq_options) # as Rails does

class MailJob < ActiveJob::Base # :nodoc:
  include Twiceproof::Job
  include Body
  sidekiq_options retry: 2
  twiceproof "mail.send"
  after_perform { |job| Tell.it("after_perform", job.arguments[0][:order_id]) }

  def perform(order, mode: "well")
    act(order[:order_id], mode)
  end

  def reference
    operation.reference
  end
end

class TenantMailJob < MailJob # :nodoc:
  twiceproof "mail.tenant"
end

class PlainMailJob < ActiveJob::Base # :nodoc:
  include Body

  def perform(key)
    act(key, "well")
  end
end

class RetriedMailJob < MailJob # :nodoc:
  twiceproof "mail.send", not_applied: [Errno::ECONNREFUSED]
  retry_on(Errno::ECONNREFUSED, wait: 0, attempts: 2) do |job, error|
    Tell.it("gave_up", job.arguments[0][:order_id], error: error.class.name)
  end
  discard_on RuntimeError
end
