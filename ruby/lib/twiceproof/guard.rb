# frozen_string_literal: true

require "logger"
require_relative "claim"
require_relative "own_row"
require_relative "perform"
require_relative "records"

module Twiceproof
  # Runs one job's operations once, each by its idempotency record. Safe for threads, and to be made before a fork.
  #
  # Every write after a claim shows the claim's token, and nobody decides by a lock, a clock or the memory of
  # this process.
  class Guard
    CLAIM_PATIENCE = 5 # seconds for which a claim is sent: a queue would wait as long
    MOST_MESSAGE = 4 << 20

    attr_reader :job

    # connect opens a connection of the driver pg, mysql2 or sqlite3 to the application's database that is the
    # guard's own: a claim is committed on it at once. Give it the driver's time limits: the guard sends again
    # what failed, but cannot end a statement that waits without end. look_up is needed under the policy lookup:
    # it answers true only for a positive "exists, with this reference and this content", and raises when it
    # cannot say. The database is not touched before the first delivery.
    def initialize(connect, job, look_up: nil, table: Statements::TABLE, worker: nil, log: nil)
      job.validate!
      raise RefusedError, "policy lookup needs look_up" if job.policy == "lookup" && look_up.nil?

      @job = job
      @log = log || Logger.new($stderr, level: Logger::WARN, progname: "twiceproof")
      @own = connect.is_a?(OwnConnections) ? connect : OwnConnections.new(connect) # several guards may share them
      @records = Records.new(@own, job, table, worker)
      @ending = Ending.new(@records, @log)
      @perform = Perform.new(@records, @ending, look_up)
    end

    # Performs the operation of one delivery once: claim, act, complete. The effect is outside the database.
    #
    # The block's normal end means that the effect is there. NotApplied means that it is definitely not; any
    # other error, that nobody can tell: it is in the result. Left in any other way (throw, break, return, exit,
    # Thread#kill, a shutdown), the claim is given up on the way out. What run itself raises means that nothing
    # could be stored: the message stays on the queue. Given the application's connection, it refuses to act
    # within an open transaction, which could still roll back what the act relies on.
    def run(delivery, application: nil, &act)
      kind("outside", "run_tx")
      if application && Transaction.open?(application)
        raise RefusedError, "a transaction is open on the application's connection; commit it before an outside effect"
      end

      claimed = prepare(delivery)
      Interrupts.defer do
        sent = Clock.now
        obtained = claim(claimed, sent)
        next skip(claimed, obtained) unless obtained.step == :act

        result = @perform.perform(attempt(claimed, obtained, delivery, sent), act)
        result.taken_over = obtained.takeover
        result
      end
    end

    # Performs the operation of one delivery once, when its effect is rows in the application's own database.
    #
    # Claim, effect and completion share one transaction on the application's connection, which run_tx begins and
    # commits: a driver's connection, ActiveRecord::Base.connection or a Sequel::Database. So a crash leaves
    # nothing, no policy is needed, and a second delivery during the act is answered :live. The body must not
    # commit or roll back. Only its normal end commits. What run_tx raises means that nothing is known to be
    # committed: the message stays on the queue, and a redelivery finds out.
    def run_tx(connection, delivery, &act)
      run_in(Transaction.on(connection, @records), delivery, &act)
    end

    # run_tx over a transaction of another kind; see Transaction.
    def run_in(transaction, delivery, &act)
      kind("own_row", "run")
      claimed = prepare(delivery)
      op = Operation.new(claimed.key, claimed.reference, delivery.body, Clock.now + job.lease)
      Interrupts.defer do
        answer = OwnRow.new(@records, @ending, transaction, claimed, op).perform(act)
        answer.is_a?(Result) ? answer : skip(claimed, answer)
      end
    end

    # Closes the guard's own connections that no delivery uses.
    def close
      @own.close
    end

    private

    def kind(kind, otherwise)
      return if job.effect.kind == kind

      raise RefusedError, "job #{job.type}: effect #{job.effect.kind} is guarded by #{otherwise}"
    end

    def prepare(delivery)
      key = job.key_of(delivery.fields)
      message = delivery.message&.b if job.store_message
      if message && message.bytesize > MOST_MESSAGE
        @log.warn("#{job.type}: message too long to be stored: key #{key}, #{message.bytesize} bytes")
        message = nil
      end
      Claimed.new(key: key, print: job.fingerprint_of(delivery.fields), reference: job.reference_of(key), message: message)
    end

    def claim(claimed, sent)
      patience = [CLAIM_PATIENCE, job.lease].min
      Resend.stored("claim operation") { Claim.new(@records, claimed, sent + patience).take }
    end

    # The deadline counts from before the claim was sent, so it ends before the database takes the claim for stale.
    def attempt(claimed, obtained, delivery, sent)
      record = obtained.record
      reference = [record.reference, claimed.reference].find { |stored| !stored.empty? }
      made = nil
      op = Operation.new(claimed.key, reference, delivery.body, sent + job.lease) { @perform.renew(made, sent) }
      made = Attempt.new(claimed, op, [record.acts, 1].max, obtained.takeover, record.lookups)
      made.forgotten = forgotten(record, sent) if obtained.takeover && job.policy == "resend"
      made
    end

    def forgotten(record, sent)
      sent + job.stale_claim.reference_window - record.known_ms.fdiv(1000)
    end

    # For a delivery that has nothing to do.
    def skip(claimed, obtained)
      record = obtained.record
      if obtained.step == :mismatch
        @ending.log(:error, "same key, different content", claimed, fields: claimed.print.fields)
        return Result.new(outcome: :mismatch, key: claimed.key)
      end
      count_repeat(claimed.key, record) if obtained.step == :completed
      @ending.log(:info, "skipped", claimed, because: obtained.step, hold_reason: record&.hold_reason)
      skipped(claimed, obtained, record)
    end

    def skipped(claimed, obtained, record)
      outcome = {completed: :completed, assume: :completed, held: :held}.fetch(obtained.step, :live)
      repeat = obtained.step == :completed
      Result.new(outcome: outcome, key: claimed.key, repeat: repeat, completion: record ? record.completion : "",
                 value: (record.result if repeat), retry_after: obtained.wait_ms.fdiv(1000))
    end

    # At most once a second for an operation, and never sent again: the count is a lower bound.
    def count_repeat(key, record)
      @records.repeat(key) if record.repeat_due
    rescue StandardError => e
      @log.debug("#{job.type}: repeat not counted: #{e.inspect}")
    end
  end
end
