# frozen_string_literal: true

module Twiceproof
  # The monotonic clock, in seconds: a step of the machine's clock does not move a deadline.
  module Clock
    module_function

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
