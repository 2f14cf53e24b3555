# frozen_string_literal: true

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
  end
end
