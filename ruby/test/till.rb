# frozen_string_literal: true

require "json"
require "socket"

# The outside service, in the test's process: it counts what workers tell it, a line of JSON each, and answers when
# the test lets it. So a step of a worker is held, or its process killed, exactly there.
class Till
  WAIT = 120

  attr_reader :port, :told

  def initialize
    @server = TCPServer.new("127.0.0.1", 0)
    @port = @server.addr[1]
    @told = []
    @lock = Mutex.new
    @changed = ConditionVariable.new
    @holds = {}
    @thread = Thread.new { loop { serve(@server.accept) } }
  end

  # What is answered at this step of this key: the block's value, which may take its time. It is given what was told.
  def at(step, key, &answer)
    @lock.synchronize { @holds[[step, key.to_s]] = answer }
  end

  def all(step, key)
    @lock.synchronize { found(step, key) }
  end

  def count(step, key)
    all(step, key).size
  end

  # Until it has been told so often; what was told then.
  def wait(step, key, times = 1)
    self.until("#{step} #{key}, #{times} times") { all(step, key)[times - 1] }
  end

  # Until the block answers; what it answers.
  def until(what)
    limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + WAIT
    loop do
      found = yield and return found
      raise "not seen: #{what}; told: #{told}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit

      @lock.synchronize { @changed.wait(@lock, 0.05) }
    end
  end

  def stop
    @thread.kill
    @server.close
  end

  private

  def found(step, key)
    @told.select { |said| said["step"] == step && said["key"] == key.to_s }
  end

  def serve(socket)
    Thread.new do
      said = JSON.parse(socket.gets || next) # it was killed before it spoke
      answer = @lock.synchronize { note(said) }
      socket.puts(JSON.generate(answer&.call(said)))
    rescue Errno::EPIPE, Errno::ECONNRESET
      nil # the worker has gone
    ensure
      socket.close
    end
  end

  def note(said)
    @told << said
    @changed.broadcast
    @holds[[said["step"], said["key"]]]
  end
end
