# frozen_string_literal: true

require_relative "duration"
require_relative "job_checks"
require_relative "key"

module Twiceproof
  # One job type as its owner wrote it down; times in seconds. The type is an explicit name, never a class
  # name, so that a renamed class keeps its history.
  JobDefinition = Struct.new(:type, :queue, :message, :operation, :effect, :longest_run, :lease, :stale_claim,
                             :store_message, :retention, keyword_init: true) do
    include JobChecks

    def initialize(type:, store_message: true, **given)
      nothing = {queue: "", message: "", operation: JobDefinition::Operation.new, effect: JobDefinition::Effect.new,
                 stale_claim: JobDefinition::StaleClaim.new, longest_run: 0, lease: 0, retention: 0}
      super(type: type, store_message: store_message, **nothing, **given)
    end

    def policy
      stale_claim.policy
    end

    def lease_ms
      Duration.ms(lease)
    end

    # Zero under every policy but lookup.
    def settle_ms
      Duration.ms(stale_claim.settle)
    end

    # Under lookup longer by the settle time: a look-up comes when a late call can be seen.
    def stored_lease_ms
      lease_ms + settle_ms
    end

    def max_takeovers
      stale_claim.max_takeovers.zero? ? 5 : stale_claim.max_takeovers
    end

    def max_lookups
      stale_claim.max_lookups.zero? ? 5 : stale_claim.max_lookups
    end

    def key_of(fields)
      Key.of(operation.key, fields)
    end

    def fingerprint_of(fields)
      Key.fingerprint(operation.fingerprint, fields)
    end

    def reference_of(key)
      Key.reference(type, key)
    end

    def validate!
      found = problems
      raise JobError, found unless found.empty?
    end
  end

  # Its parts.
  class JobDefinition
    # How one business operation is recognised: paths into the message, what counts as a repeat, and the
    # fields that must not differ.
    Operation = Struct.new(:key, :repeat, :fingerprint, keyword_init: true) do
      def initialize(key: [], repeat: "", fingerprint: [])
        super
      end
    end

    # The change that the job exists for; kind is own_row or outside.
    Effect = Struct.new(:kind, :what, keyword_init: true) do
      def initialize(kind: "", what: "")
        super
      end
    end

    # The written policy for a stale claim; times in seconds, a budget of 0 means 5.
    StaleClaim = Struct.new(:policy, :settle, :reference_window, :max_takeovers, :max_lookups, keyword_init: true) do
      def initialize(policy: "", settle: 0, reference_window: 0, max_takeovers: 0, max_lookups: 0)
        super
      end
    end
  end
end
