# frozen_string_literal: true

require "securerandom"
require_relative "key"

module Twiceproof
  # An idempotency record as one statement saw it. stale_ms is by the database's clock; negative while the
  # claim is live.
  Record = Struct.new(:state, :token, :stale_ms, :acts, :given_up, :vanished, :lookups, :policy, :fingerprint,
                      :reference, :result, :completion, :hold_reason, :known_ms, :repeat_due, keyword_init: true) do
    def self.of(row)
      state, token, stale, acts, given_up, vanished, lookups, policy, sum, fields, *rest = row
      reference, result, completion, reason, known, due = rest
      new(state: state, token: token, stale_ms: stale.to_i, acts: acts.to_i, given_up: Record.true?(given_up),
          vanished: vanished.to_i, lookups: lookups.to_i, policy: policy.to_s, result: result&.b,
          fingerprint: Fingerprint.new(sum&.b, fields ? Key.utf8(fields) : ""), reference: reference.to_s,
          completion: completion.to_s, hold_reason: reason.to_s, known_ms: known.to_i, repeat_due: Record.true?(due))
    end

    def self.true?(value)
      [true, 1, "1", "t"].include?(value)
    end

    def with(**changes)
      self.class.new(**to_h, **changes)
    end
  end

  # One delivery's own side of a claim: a fresh token for each tells it from every other.
  Claimed = Struct.new(:key, :print, :reference, :message, :token, keyword_init: true) do
    def self.new_token
      SecureRandom.hex(16)
    end

    def initialize(token: self.class.new_token, **given)
      super
    end
  end
end
