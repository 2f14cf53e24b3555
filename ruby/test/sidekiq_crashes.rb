# frozen_string_literal: true

require_relative "sidekiq_world"

# What the tests of crashes do to workers, each with a queue and workers of its own.
module SidekiqCrashes
  def teardown
    @world&.kill_all_but_first
  end

  private

  def start(name)
    @world = SidekiqWorld.of(name)
    @key = @world.next_key
    @queue = "queue-#{@key}"
  end

  def world_of_its_own
    @world = SidekiqWorld.new(TestDatabase.named("postgres"))
    @key = "own-#{SecureRandom.hex(4)}"
    @queue = "default"
  end

  def till
    @world.till
  end

  def push(job, mode)
    @world.push(job, @key, mode, queue: @queue)
  end

  def worker(*flags, **more)
    @world.worker("-c", "1", "-q", @queue, *flags, **more)
  end

  # The worker is killed at this step of its job. The job's text.
  def killed_at(step, job, times = 1)
    strikes = 0
    till.at(step, @key) { |said| Process.kill(:KILL, said["pid"]) if (strikes += 1) <= times }
    pid = worker
    text = push(job, "well")
    till.wait(step, @key)
    @world.ended(pid)
    text
  end

  # While the lease lasts it is put back, and after that it is taken over.
  def come_back(text)
    worker
    @world.push_text(text, @queue)
    till.wait("put_back", @key)
    @world.age("charge.create", @key)
    @world.due("schedule", text, @queue)
  end

  # Within a transaction of another connection.
  def locking(sql)
    other = @world.database.connect
    other.exec("BEGIN")
    other.exec(sql)
    yield other
  ensure
    other.exec("ROLLBACK")
    other.close
  end

  def blocked?(other)
    pid = other.backend_pid
    @world.database.execute("SELECT count(*) FROM pg_stat_activity WHERE #{pid} = ANY (pg_blocking_pids(pid))") != [["0"]]
  end
end
