# frozen_string_literal: true

require "English"
require_relative "ending"
require_relative "interrupts"
require_relative "operation"

module Twiceproof
  # Bringing a claim of ours to its end: look-up, act, completion.
  class Perform
    MOST_LEASES = 10 # for which one claim can be kept

    def initialize(records, ending, look_up)
      @records = records
      @job = records.job
      @ending = ending
      @look_up = look_up
    end

    def perform(attempt, act)
      return self.act(attempt, act) unless attempt.takeover
      # Not a release: the earlier attempt's effect may still be out.
      return @ending.give_up(attempt, DeadlinePassed.new) if attempt.op.late?
      return follow_lookup(attempt, act) if @job.policy == "lookup"

      act_once_more(attempt, act) # what may act again was decided at the takeover
    end

    # Another lease from now, up to the most that one claim may have.
    def renew(attempt, sent)
      time = Clock.now + @job.lease
      raise RenewError, "the claim has been renewed for as long as it may be" if time - sent > MOST_LEASES * @job.lease

      forgotten = attempt.forgotten && time > attempt.forgotten
      raise RenewError, "the service may have forgotten the reference by then" if forgotten
      raise RenewError, "the claim is another worker's" unless renewed(attempt)

      attempt.op.move_deadline(time)
    end

    private

    def renewed(attempt)
      Interrupts.defer do
        Resend.stored("renew claim") do
          Resend.until_answered(attempt.op.deadline) { @records.renew(attempt.claimed) }
        end
      end
    end

    def follow_lookup(attempt, act)
      found, error = body(attempt, 1) { ask_outside(attempt) }
      return @ending.give_up(attempt, error, 1) if error
      return @ending.complete(attempt, "found") if found
      # The answer is too old to act upon.
      return @ending.give_up(attempt, DeadlinePassed.new) if attempt.op.late?

      act_once_more(attempt, act)
    end

    def ask_outside(attempt)
      found = @look_up.call(attempt.op)
      raise TypeError, "a look-up answers true or false" unless [true, false].include?(found) # nil is no "absent"

      found
    end

    # Counts the further attempt before it is made.
    def act_once_more(attempt, act)
      mine = Resend.stored("act again") do
        Resend.until_answered(attempt.op.deadline) { @records.act_again(attempt.claimed, attempt.acts) }
      end
      return self.act(attempt, act) if mine

      # Nothing was acted, so there is no late finish to record.
      Result.new(outcome: :lost, key: attempt.op.key, deadline: attempt.op.deadline)
    end

    # Enters the body, unless the lease has ended on the way to it.
    def act(attempt, act)
      return @ending.release(attempt, DeadlinePassed.new) if attempt.op.late?

      _, error = body(attempt, 0) { act.call(attempt.op) }
      return @ending.complete(attempt, "acted") unless error

      error.is_a?(NotApplied) ? @ending.release(attempt, error) : @ending.give_up(attempt, error)
    end

    # Runs the job's own code: its value, or its error. Left in any other way (throw, break, exit, Thread#kill,
    # a shutdown), the claim is ended on the way out.
    def body(attempt, look_ups)
      stage = value = nil
      Interrupts.body do
        stage = :within
        value = yield
        stage = :after
      end
      stage = :done
      [value, nil]
    rescue StandardError => e
      raise unless stage == :within

      stage = :done
      [nil, e]
    ensure
      leave(attempt, look_ups, stage) unless stage == :done
    end

    # Within the body nobody can tell what it did. Before it (no stage yet), nothing; after it, everything.
    def leave(attempt, look_ups, stage)
      cause = $ERROR_INFO || "the body was left early"
      return @ending.give_up(attempt, cause, look_ups) if stage == :within
      return @ending.give_up(attempt, cause) if look_ups.positive?

      stage == :after ? @ending.complete(attempt, "acted") : @ending.release(attempt, cause)
    rescue StandardError => e
      @ending.log(:error, "not ended", attempt.claimed, error: e.inspect)
    end
  end
end
