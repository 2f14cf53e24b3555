# frozen_string_literal: true

module Twiceproof
  # One hand-over of a message to this worker. fields is the decoded message, from which key and fingerprint
  # are read; body is for the job's own use. message is the whole message in the form in which it can be put
  # on the queue again: it is stored with the claim unless the job says store_message: false.
  Delivery = Struct.new(:fields, :body, :message, keyword_init: true)

  # What came of a delivery, for the consumer to act upon.
  #
  # outcome is :completed (the effect is there), :live (another worker has the claim), :held (it waits for a
  # person), :mismatch (same key, other content), :released (definitely not applied), :given_up (nobody can
  # tell) or :lost (the claim was another worker's by the time this one had acted: a second effect may exist).
  # repeat: the operation was completed before this delivery. retry_after: for how many seconds a redelivery
  # has nothing to do. error: what the body, the look-up, or after an own row's COMMIT a framework's
  # callback raised. deadline: the end of this delivery's own claim, by the monotonic clock. taken_over: an earlier
  # attempt was in doubt, and this delivery has followed the policy.
  Result = Struct.new(:outcome, :key, :repeat, :completion, :value, :retry_after, :deadline, :error, :decided,
                      :taken_over, keyword_init: true) do
    def initialize(outcome:, key:, repeat: false, completion: "", retry_after: 0, **given)
      super
    end

    # The queue may forget the message: the operation is completed, or held with the message in its record.
    def acknowledge?
      %i[completed held].include?(outcome) || (outcome == :lost && decided == true)
    end

    def repeat?
      repeat
    end
  end
end
