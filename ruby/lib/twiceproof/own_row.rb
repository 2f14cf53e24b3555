# frozen_string_literal: true

require_relative "claim"
require_relative "ending"
require_relative "interrupts"
require_relative "transaction"

module Twiceproof
  # One delivery whose effect is a row: claim, effect and completion in one transaction.
  class OwnRow
    def initialize(records, ending, transaction, claimed, operation)
      @records = records
      @ending = ending
      @transaction = transaction
      @claimed = claimed
      @op = operation
      @stage = :nothing # then claimed, sealed
    end

    # A result, or why nothing was claimed. Whatever leaves it, the body did not commit unless the result says so.
    def perform(act)
      done = false
      @transaction.perform { |connection| within(connection, act) }
      answer = ended
      done = true
      answer
    rescue StandardError => e
      done = true
      failed(e)
    ensure
      left_early unless done
    end

    private

    # True when it may be committed; nil when nothing was claimed.
    def within(connection, act)
      driver = Driver.of(connection)
      number = @records.claim_own_row(connection, driver, @claimed)
      return unless number

      @stage = :claimed
      return false if (@error = body(act))

      @transaction.last { seal(connection, driver, number) }
      true
    end

    # The body's error, if it had one, or that it is too late to commit.
    def body(act)
      Interrupts.body { act.call(@op) }
      @op.check
      nil
    rescue StandardError => e
      e
    end

    # The body may have ended the transaction, or swallowed an error that did.
    def seal(connection, driver, number)
      @value = @ending.result_of(@op)
      @records.seal_own_row(connection, driver, @claimed, @value, number)
      @stage = :sealed
    rescue StandardError => e
      by_body = Failure.answered?(e) || @transaction.ended?
      raise (by_body ? BodyError : NotCommittedError), "not committed: #{e.message}"
    end

    def ended
      return refused if @stage == :nothing
      return rolled_back if @error
      raise BodyError, "not committed: no COMMIT was sent" unless @stage == :sealed

      @ending.log(:info, "completed", @claimed, completion: "acted")
      result(:completed, completion: "acted", value: @value)
    end

    # What a framework calls after its COMMIT has raised: the row is there, and no message comes for the rest again.
    def followed(error)
      @ending.log(:error, "completed, but what follows its commit failed", @claimed, cause: error.inspect)
      result(:completed, completion: "acted", value: @value, error: error)
    end

    def refused
      Resend.stored("read record") { Claim.new(@records, @claimed, Clock.now + Resend::PATIENCE).refused }
    end

    def failed(error)
      case @stage
      when :nothing
        return refused if Failure.busy?(error) || @op.late? # MySQL waits for another transaction

        raise_as("claim operation", error)
      when :sealed
        return followed(error) if @transaction.committed?

        raise_as("commit: nobody can tell whether it was done", error)
      end
      unless error.is_a?(Error) # what comes before the seal, such as before_commit, is the body's
        @error ||= error
        return rolled_back
      end
      hold_broken_body
      raise error
    end

    def raise_as(what, error)
      raise error if error.is_a?(Error)

      raise NotStoredError, "#{what}: #{error.message}"
    end

    # Nothing of a body that did not succeed stays, unless it has committed by itself before it failed.
    def rolled_back
      held = hold_broken_body
      @ending.log(:warn, "rolled back", @claimed, cause: @error.inspect, held: held)
      result(held ? :held : :released, error: @error)
    end

    def left_early
      hold_broken_body if @stage == :claimed
    rescue StandardError => e
      @ending.log(:error, "record not read after a rollback", @claimed, error: e.inspect)
    end

    # Held when the body has committed the claim by itself: nobody can tell how much of its effect is there.
    def hold_broken_body
      held = Resend.stored("read record after a rollback") do
        Resend.finish(Clock.now + Resend::PATIENCE) { hold_if_ours }
      end
      @ending.log(:error, "held: the body ended the guard's transaction", @claimed) if held
      held
    end

    def hold_if_ours
      ours = @records.read(@claimed.key)&.token == @claimed.token
      @records.hold_own_row(@claimed) if ours
      ours
    end

    def result(outcome, **more)
      Result.new(outcome: outcome, key: @op.key, deadline: @op.deadline, **more)
    end
  end
end
