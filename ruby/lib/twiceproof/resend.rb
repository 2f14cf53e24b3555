# frozen_string_literal: true

require_relative "clock"
require_relative "failure"

module Twiceproof
  # A verb whose reply was lost is sent again. That is right for every verb of the record: sent again with the
  # same token it changes nothing that the first time did not.
  module Resend
    # In seconds: for how long the end of a claim is sent at the least, and at the most once this thread is
    # wanted elsewhere. By the token it is right also after the lease.
    PATIENCE = 5

    module_function

    # Ends with an answer, an error that will not change, or when the time to answer is over.
    def until_answered(time)
      start = Clock.now
      pause = 0.02
      begin
        yield
      rescue StandardError => e
        left = (Thread.pending_interrupt? ? [time, start + PATIENCE].min : time) - Clock.now
        raise if left <= 0 || !Failure.may_change?(e)

        sleep([left, pause * rand(0.5..1.5)].min)
        pause = [2 * pause, 1].min
        retry
      end
    end

    # The same, and the exception of a signal, which nothing defers, does not end it: it goes on when the verb is
    # answered. A second one ends it.
    def finish(time, &verb)
      ended = false
      answer = until_answered(time, &verb)
      ended = true
      answer
    rescue StandardError
      ended = true
      raise
    ensure
      until_answered(time, &verb) unless ended
    end

    # For an error of the database: the message stays on the queue.
    def stored(what)
      yield
    rescue Error
      raise
    rescue StandardError => e
      raise NotStoredError, "#{what}: #{e.message}"
    end
  end
end
