# frozen_string_literal: true

require_relative "decide"
require_relative "resend"

module Twiceproof
  # What a delivery got: its own claim (:act), or what to do instead. takeover: the claim is ours, and an
  # earlier attempt may have its effect.
  Obtained = Struct.new(:step, :record, :wait_ms, :takeover)

  # Taking an operation's claim for a delivery, or finding out why not.
  class Claim
    # Each round of a decision that did not stand somebody else has moved, so a few are enough.
    ROUNDS = 5

    def initialize(records, claimed, time)
      @records = records
      @claimed = claimed
      @time = time
    end

    def take
      record = sent { @records.claim(@claimed) }
      doubt = false # we asked to take over a record whose effect may be out
      settle(record) do |r|
        decision = Decide.about(r, @claimed.token, @claimed.print, @records.job)
        obtained = stands(r, decision, doubt)
        # When only the reply of our takeover was lost, the record now shows our own token, and the doubt
        # about the earlier attempt is still there.
        doubt ||= decision.step == :take_over && r.acts.positive?
        obtained
      end
    end

    # Why an own row was not claimed.
    def refused
      record = sent { @records.read(@claimed.key) }
      settle(record) { |r| stands(r, Decide.about_own_row(r, @claimed.print), false) }
    end

    private

    # Until a decision stands. No record that can be seen means that another worker is about to make it.
    def settle(record)
      0.upto(ROUNDS) do |round|
        break unless record

        @last = round == ROUNDS
        obtained = yield record
        return obtained if obtained

        record = sent { @records.read(@claimed.key) } unless @last
      end
      Obtained.new(:live, record, 1000, false)
    end

    def sent(&verb)
      Resend.until_answered(@time, &verb)
    end

    # The decision's answer, when nothing is due or it was written; nil when the record has moved.
    def stands(record, decision, doubt)
      answer_to(record, decision, doubt) if !decision.writes? || (!@last && sent { write(record, decision) })
    end

    def write(record, decision)
      case decision.step
      when :take_over then @records.take_over(@claimed, record, decision.extra_ms)
      when :hold then @records.hold(@claimed, record, decision.reason)
      else @records.assume(@claimed, record)
      end
    end

    def answer_to(record, decision, doubt)
      case decision.step
      when :take_over then Obtained.new(:act, record, 0, record.acts.positive?)
      when :hold then Obtained.new(:held, record.with(hold_reason: decision.reason), 0, false)
      when :assume then Obtained.new(:assume, record.with(completion: "assumed"), 0, false)
      else Obtained.new(decision.step, record, decision.wait_ms, doubt && decision.step == :act)
      end
    end
  end
end
