# frozen_string_literal: true

require "timeout"

# The ways to leave a body early. Each calls the guard, with a body that does its work and is then left.
module Leaves
  ALL = {
    "throw" => ->(run) { catch(:out) { run.call { throw :out } } },
    "break" => ->(run) { run.call { break } },
    "return" => ->(run) { returning(run) },
    "exit" => ->(run) { swallow(SystemExit) { run.call { exit } } },
    "an interrupt" => ->(run) { swallow(Interrupt) { run.call { raise Interrupt } } },
    "Timeout around the guard" => ->(run) { timed_out_inside(run) },
    "Timeout around the work" => ->(run) { catch(:out) { run.call { leave_by_timeout } } },
    "Thread#kill" => ->(run) { in_thread(run, &:kill) },
    "Thread#raise" => ->(run) { swallow(Shutdown) { in_thread(run) { |t| t.raise(Shutdown) } } },
    "a thread that kills itself" => ->(run) { Thread.new { run.call { Thread.current.kill } }.join }
  }.freeze

  class << self
    def returning(run)
      run.call { return }
    end

    def swallow(error)
      yield
    rescue error
      nil
    end

    # One that comes before the body is entered does not count.
    def timed_out_inside(run)
      entered = [0.2, 2, 20].any? do |seconds|
        inside = false
        swallow(Timeout::Error) { Timeout.timeout(seconds) { run.call { (inside = true) && sleep } } }
        inside
      end
      raise "the body was not entered" unless entered
    end

    def leave_by_timeout
      Timeout.timeout(0.01) { sleep }
    rescue Timeout::Error
      throw :out
    end

    # The thread is in its body when it is told.
    def in_thread(run)
      inside = Queue.new
      thread = Thread.new do
        Thread.current.report_on_exception = false
        run.call do
          inside << true
          sleep
        end
      ensure
        inside << false
      end
      raise "the body was not entered" unless inside.pop

      yield thread
      thread.join
    end
  end
end
