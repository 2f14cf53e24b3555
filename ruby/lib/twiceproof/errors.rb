# frozen_string_literal: true

module Twiceproof
  # What every error of this gem is, but NotApplied.
  class Error < StandardError; end

  # Nothing could be stored in the database, or read from it: the message stays on the queue.
  class NotStoredError < Error; end

  # An own row's transaction was surely not committed.
  class NotCommittedError < NotStoredError; end

  # By the body's fault: it had ended the transaction, or swallowed an error that did. The database is well.
  class BodyError < NotCommittedError; end

  # The block of twiceproof_transaction was left, but not by its end or an error: it was rolled back.
  class LeftEarlyError < Error
    def initialize
      super("rolled back: the block of twiceproof_transaction was left by return, break or throw (a Timeout around it " \
            "throws too); end it by next, or raise")
    end
  end

  # The guard was asked for something that it does not do.
  class RefusedError < Error; end

  # The claim is not good for longer than it was: do not start another step.
  class RenewError < Error; end

  # The same operation key with other content: the job fails, as with any error of its own.
  class MismatchError < Error; end

  # A job was called without a worker, so that no broker keeps a message: the operation is another's now, or held.
  class NotActedError < Error; end

  # The message has no usable operation key or fingerprint. Nothing was claimed or acted. The error
  # never holds the value, so it may be logged.
  class KeyRefusedError < Error
    attr_reader :path, :why

    def initialize(what, path, why)
      super(["#{what}:", path, WHY.fetch(why)].reject(&:empty?).join(" "))
      @path = path
      @why = why
    end
  end

  # Raised by the job's body as proof that the effect did not happen, such as a refused connection: the
  # claim is released and the next delivery acts again. Any other error means that nobody can tell. Not
  # for a client that retries inside: its first try may have been applied.
  class NotApplied < StandardError
    def initialize(cause = "no cause given")
      super("not applied: #{cause}")
    end
  end

  # Raised by Operation#check when the claim's lease has ended.
  class DeadlinePassed < NotApplied
    def initialize
      super("the claim's lease is over")
    end
  end

  # The reasons for refusing a value. They are part of the golden files and the same in every language.
  WHY = {
    "no_path" => "no path is named",
    "absent" => "is absent from the message",
    "null" => "is null",
    "empty" => "is an empty text",
    "blank" => "holds nothing but blank characters",
    "word" => "is a word for nothing, such as None or null",
    "float" => "is a float; send an integer or a text",
    "boolean" => "is a boolean",
    "list" => "is a list; name one value in it",
    "object" => "is an object; name one value in it",
    "type" => "has a type that JSON does not have",
    "not_utf8" => "is not valid UTF-8",
    "nul" => "holds a NUL character",
    "too_long" => "makes a key of more than 255 bytes",
    "infinite" => "is a float that is not finite"
  }.freeze
end
