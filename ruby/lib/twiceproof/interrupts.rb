# frozen_string_literal: true

require "English"

module Twiceproof
  # When this thread may be left from outside: by Thread#raise (Timeout, a shutdown) or Thread#kill.
  #
  # The guard's own steps are not left between two statements; only the job's body is. A signal's exception,
  # which Ruby raises in the main thread, is not deferred by anything: for it every step has its ensure.
  module Interrupts
    module_function

    def defer(&block)
      Thread.handle_interrupt(Object => :never, &block)
    end

    def allow(&block)
      Thread.handle_interrupt(Object => :immediate, &block)
    end

    # The job's own code. A child that it forks ends where it leaves it: the claim is the parent's, and so are the
    # connections, on which a child would speak in between, and the message, which a second worker would acknowledge.
    def body(&block)
      process = Process.pid
      begin
        allow(&block)
      ensure
        end_child($ERROR_INFO) unless Process.pid == process
      end
    end

    def end_child(error)
      exit!(error.status) if error.is_a?(SystemExit)
      warn(error.full_message) if error
      exit!(error.nil?)
    end
  end
end
