# frozen_string_literal: true

require_relative "record"

module Twiceproof
  # step is :act (the claim is ours, with no doubt about an earlier attempt), :take_over, :hold or :assume
  # (stale: claim it, leave it to a person, take it as done), :live, :completed, :held or :mismatch. reason is
  # of a hold; wait_ms is until a live claim is stale; extra_ms is beyond a takeover's stored lease.
  Decision = Struct.new(:step, :reason, :wait_ms, :extra_ms, keyword_init: true) do
    def initialize(step:, reason: "", wait_ms: 0, extra_ms: 0)
      super
    end

    # It stands only when its write finds the record as it was read.
    def writes?
      %i[take_over hold assume].include?(step)
    end
  end

  # What a delivery does about the record that it found: the whole protocol. Pure.
  module Decide
    module_function

    def about(record, token, print, job)
      found = decided(record, print)
      return found if found
      return Decision.new(step: :act) if record.token == token # the reply of our own claim was lost

      extra = settle_still_to_wait(record, job)
      return Decision.new(step: :live, wait_ms: extra - record.stale_ms) if record.stale_ms < extra
      return Decision.new(step: :take_over) if record.acts.zero?

      doubtful(record, job, extra)
    end

    # A claim here is of the time when the job's effect was outside. It may be out, so it is not acted upon.
    def about_own_row(record, print)
      found = decided(record, print)
      return found if found
      return Decision.new(step: :live, wait_ms: -record.stale_ms) if record.stale_ms.negative?

      Decision.new(step: :hold, reason: "mode_changed")
    end

    def decided(record, print)
      return Decision.new(step: :mismatch) if print.differs?(record.fingerprint)

      Decision.new(step: record.state.to_sym) if %w[completed held].include?(record.state)
    end

    def doubtful(record, job, extra)
      reason = hold_reason(record, job)
      return Decision.new(step: :hold, reason: reason) if reason
      return Decision.new(step: :assume) if job.policy == "accept_miss"

      Decision.new(step: :take_over, extra_ms: extra)
    end

    # A claim made under another policy has a lease without settle; a look-up at its end could come too early.
    def settle_still_to_wait(record, job)
      job.policy == "lookup" && record.policy != "lookup" && record.acts.positive? ? job.settle_ms : 0
    end

    # Why a stale claim waits for a person, if it does. Budgets are the operation's, not the attempt's.
    def hold_reason(record, job)
      return record.given_up ? "unknown_outcome" : "worker_vanished" if job.policy == "hold"
      return "max_takeovers" if record.vanished + (record.given_up ? 0 : 1) > job.max_takeovers

      policy_reason(record, job)
    end

    def policy_reason(record, job)
      case job.policy
      when "lookup" then "max_lookups" if record.lookups >= job.max_lookups
      when "resend" then "reference_window" if forgotten_by_then?(record, job)
      when "accept_duplicate" then "max_acts" if record.acts >= 2
      end
    end

    # By the end of the new lease the service may have forgotten the reference.
    def forgotten_by_then?(record, job)
      record.known_ms + job.lease_ms > Duration.ms(job.stale_claim.reference_window)
    end

    # How long a claim rests after a look-up without an answer: doubling from 1s, from settle up to the lease.
    def look_up_pause_ms(lookups, job)
      [job.settle_ms, [1000 << [lookups, 16].min, job.lease_ms].min].max
    end
  end
end
