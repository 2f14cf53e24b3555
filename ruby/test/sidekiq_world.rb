# frozen_string_literal: true

require "redis"
require_relative "databases"
require_relative "till"

# Redis, a database, a till, and the workers of Sidekiq between them, as real processes. The test speaks to Redis by
# itself.
class SidekiqWorld
  JOBS = File.expand_path("sidekiq_jobs.rb", __dir__)
  VERSION = Gem::Specification.find_by_name("sidekiq").version
  WRAPPER = "ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper"

  attr_reader :till, :database

  # One for each database, with its workers, until the tests end.
  def self.of(name)
    @all ||= {}
    @all[name] ||= new(TestDatabase.named(name))
  end

  def self.stop
    (@all || {}).each_value(&:stop)
  end

  def initialize(database)
    @database = database
    @till = Till.new
    @pids = []
    @keys = 0
    @dir = Dir.mktmpdir("twiceproof-")
    start_redis
  end

  # Also again, and then with nothing in it.
  def start_redis
    @server = Server.redis(@server&.port)
    @server.wait { TCPSocket.new("127.0.0.1", @server.port) }
  end

  def stop_redis
    @server.stop
  end

  def next_key
    "#{database.dialect}-#{@keys += 1}"
  end

  # A worker's process id, once it runs. Without arguments, the one that runs for all tests.
  def worker(*flags, ready: true)
    return @worker ||= start("-c", "4", "-q", "default") if flags.empty?

    start(*flags, ready: ready)
  end

  # A process that is not Sidekiq's own, and runs it.
  def embedded(queue)
    code = %(require "#{JOBS}"; Sidekiq.configure_embed { |config| config.queues = ["#{queue}"] }.run; sleep)
    start("-e", code, command: [RbConfig.ruby])
  end

  def url
    "redis://127.0.0.1:#{@server.port}/0"
  end

  def redis
    @redis ||= Redis.new(port: @server.port)
  end

  # The payload that was put on its queue.
  def push(name, *args, queue: "default", **more)
    now = Time.now.to_f
    job = {"retry" => 2, "queue" => queue, "class" => name, "args" => args, "jid" => SecureRandom.hex(12), "created_at" => now,
           "enqueued_at" => now, **more.transform_keys(&:to_s)}
    push_text(JSON.generate(job), queue)
  end

  def push_mail(job, key, mode, inner: {}, **more)
    arguments = [{"order_id" => key, "_aj_symbol_keys" => ["order_id"]}, {"mode" => mode, "_aj_ruby2_keywords" => ["mode"]}]
    wrapped = {"job_class" => job, "job_id" => SecureRandom.uuid, "queue_name" => "default", "arguments" => arguments,
               "executions" => 0, "exception_executions" => {}, "locale" => "en", **inner}
    push(WRAPPER, wrapped, wrapped: job, **more)
  end

  def push_text(text, queue = "default")
    redis.lpush("queue:#{queue}", text)
    text
  end

  # What waits in a sorted set (schedule, retry or dead) for this text's job: its text and when it is due.
  def waiting(set, text)
    redis.zrange(set, 0, -1, with_scores: true).select { |member, _| jid(member) == jid(text) }
  end

  # Waits until it is there, and puts it on its queue, as Sidekiq's own scheduler does. Its text.
  def due(set, text, queue = "default")
    member = till.until("#{set} has the job") { waiting(set, text).first }.first
    redis.zrem(set, member)
    push_text(member, queue)
  end

  def queued(queue)
    redis.lrange("queue:#{queue}", 0, -1)
  end

  # The job is nowhere in Redis.
  def lost?(text, queue = "default")
    %w[schedule retry dead].all? { |set| waiting(set, text).empty? } && queued(queue).none? { |other| jid(other) == jid(text) }
  end

  def kill(pid, signal = :KILL)
    Process.kill(signal, pid)
    ended(pid)
  end

  # Once a worker has ended.
  def ended(pid)
    Process.wait(pid)
    @pids.delete(pid)
  end

  def ended?(pid)
    Process.wait(pid, Process::WNOHANG) && @pids.delete(pid)
  end

  # All but the one that runs for all tests.
  def kill_all_but_first
    (@pids - [@worker]).each { |pid| kill(pid) }
  end

  # When the lease is over, the worker being gone.
  def age(job, key)
    database.change(job, key, database.older("claimed_at", 60_000))
  end

  def record(job, key, *columns)
    database.record(job, key, columns)&.map { |value| value.is_a?(String) ? value.dup.force_encoding("UTF-8") : value }
  end

  def log
    File.read("#{@dir}/worker.log")
  end

  def stop
    kill_all_but_first
    kill(@worker) if @worker
    @till.stop
    @server.stop
    FileUtils.rm_rf(@dir)
  end

  private

  def jid(text)
    JSON.parse(text)["jid"]
  end

  def start(*flags, ready: true, command: ["sidekiq", "-r", JOBS])
    @reader, @writer = IO.pipe unless @writer
    streams = {in: @reader, out: ["#{@dir}/worker.log", "a"], err: %i[child out]}
    pid = spawn({"JOBS" => JSON.generate(settings)}, *command, *flags, pgroup: true, **streams)
    @pids << pid
    till.wait("ready", pid) if ready
    pid
  rescue RuntimeError => e
    raise "#{e.message}\n#{log}"
  end

  def settings
    {redis: url, till: till.port, database: address}
  end

  def address
    return {adapter: "sqlite3", database: database.path, timeout: 5000} if database.dialect == "sqlite"

    given = database.address
    return given.merge(adapter: "mysql2") unless given[:dbname]

    {adapter: "postgresql", host: given[:host], port: given[:port], username: given[:user], database: given[:dbname]}
  end
end

Minitest.after_run { SidekiqWorld.stop }
