# frozen_string_literal: true

require_relative "decide"
require_relative "delivery"
require_relative "resend"

module Twiceproof
  # A claim of ours on its way from claim to completion. forgotten is when the service may have forgotten the
  # reference that an earlier attempt may have sent, if that matters.
  Attempt = Struct.new(:claimed, :op, :acts, :takeover, :look_ups, :forgotten)

  # How a claim of ours ends: completed, released, given up or lost.
  class Ending
    MOST_RESULT = 64 << 10

    def initialize(records, log)
      @records = records
      @job = @records.job
      @log = log
    end

    # Sent until it is answered: the effect is there, and only this statement says so.
    def complete(attempt, completion)
      value = result_of(attempt.op)
      mine = Resend.stored("complete operation") do
        write(attempt) { @records.complete(attempt.claimed, completion, value) }
      end
      return lost(attempt, nil) unless mine

      log(:info, "completed", attempt.claimed, completion: completion)
      result(attempt, :completed, completion: completion, value: value)
    end

    # The effect is definitely not there. Unwritten, the end of the lease brings the policy, which is as safe.
    def release(attempt, cause)
      replacement = Claimed.new_token
      attempted("released", attempt, cause) { @records.release(attempt.claimed, replacement) }
      result(attempt, :released, error: cause)
    end

    # Nobody can tell. look_ups is 1 when a look-up gave no answer. Unwritten, the end of the lease does the same.
    def give_up(attempt, cause, look_ups = 0)
      pause = look_ups.zero? ? @job.settle_ms : Decide.look_up_pause_ms(attempt.look_ups, @job)
      mine = attempted("given up", attempt, cause) { @records.give_up(attempt.claimed, pause, look_ups) }
      if mine == false
        found = lost(attempt, cause)
        return found if found.outcome == :lost
      end
      wait = mine.nil? ? attempt.op.remaining : pause.fdiv(1000)
      result(attempt, :given_up, retry_after: wait, error: cause)
    end

    def result_of(op)
      return op.result unless op.result && op.result.bytesize > MOST_RESULT

      @log.warn("#{@job.type}: result too long to be stored: key #{op.key}, #{op.result.bytesize} bytes")
      nil
    end

    def log(level, what, claimed, **more)
      details = {key: claimed.key, token: claimed.token, **more}.map { |name, value| "#{name} #{value}" }
      @log.public_send(level, "#{@job.type}: #{what}: #{details.join(", ")}")
    end

    private

    def write(attempt, &verb)
      Resend.finish([attempt.op.deadline, Clock.now + Resend::PATIENCE].max, &verb)
    end

    def result(attempt, outcome, **more)
      Result.new(outcome: outcome, key: attempt.op.key, deadline: attempt.op.deadline, **more)
    end

    # What the verb answered; nil when it could not be written.
    def attempted(what, attempt, cause, &verb)
      failed = nil
      begin
        done = write(attempt, &verb)
      rescue StandardError => e
        failed = e
      end
      log(:warn, what, attempt.claimed, cause: cause.inspect, error: failed.inspect)
      done
    end

    # Records that this worker came back after its claim had gone to another, and tells what the record says
    # now. One that still shows our own token is not lost: then only the reply of our own write was.
    def lost(attempt, cause)
      claimed = attempt.claimed
      record = Resend.stored("record late finish") do
        write(attempt) do
          @records.late_finish(claimed)
          @records.read(claimed.key)
        end
      end
      return ours(attempt, record, cause) if record&.token == claimed.token

      log(:error, "lost claim, a second effect may exist", claimed, record: record&.state)
      result(attempt, :lost, error: cause, decided: %w[completed held].include?(record&.state))
    end

    # Completed by a person, who left the token, or as it was.
    def ours(attempt, record, cause)
      result(attempt, record.state == "completed" ? :completed : nil, error: cause)
    end
  end
end
