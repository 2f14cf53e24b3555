# frozen_string_literal: true

require_relative "clock"
require_relative "errors"

module Twiceproof
  # What the job's body is given: the operation to perform now.
  class Operation
    # reference is what to give the outside service: the same in every attempt. deadline is when the effect
    # must have been made, by the monotonic clock; renew moves it.
    attr_reader :key, :reference, :body, :deadline, :result

    def initialize(key, reference, body, deadline, &renew)
      @key = key
      @reference = reference
      @body = body
      @deadline = deadline
      @renew = renew
    end

    # Seconds until the deadline, at least 0: for the time-out of the call.
    def remaining
      [deadline - Clock.now, 0].max
    end

    # To be called just before the effect. Raises when it is too late to act: nothing was applied then.
    def check
      raise DeadlinePassed if late?
    end

    def late?
      Clock.now >= deadline
    end

    # Makes the claim good for another lease from now. For a long act of several steps, called by the job itself
    # between them: a renewal in the background would keep a hung job alive for ever. Raises when it is not
    # granted: do not start another step.
    def renew
      raise RenewError, "a transaction's claim has nothing to renew" unless @renew

      @renew.call
    end

    # What a repeat is answered with. Over 64 KiB it is dropped and logged; it never fails the completion.
    def result=(bytes)
      raise TypeError, "a result is a String" unless bytes.nil? || bytes.is_a?(String)

      @result = bytes&.b
    end

    # For the guard, once the record says so.
    def move_deadline(time)
      raise RenewError, "the claim's lease is over" if late?

      @deadline = time
    end
  end
end
