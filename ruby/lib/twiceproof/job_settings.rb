# frozen_string_literal: true

require_relative "errors"
require_relative "transaction"

module Twiceproof
  # What a class of jobs says beside its job file, and its guard, which is made at the first delivery.
  class JobSettings
    @all = []
    class << self
      attr_reader :all
    end

    attr_reader :type, :not_applied

    def initialize(type, look_up: nil, not_applied: [], application: nil, transaction: :perform)
      raise ArgumentError, "transaction is :perform or :block" unless %i[perform block].include?(transaction)

      @type = type
      @look_up = look_up
      @not_applied = Array(not_applied)
      @application = application
      @in_block = transaction == :block
      @guards = {}
      @lock = Mutex.new
      JobSettings.all << self
    end

    # The body says by twiceproof_transaction where its rows are written.
    def in_block?
      @in_block && own_row?
    end

    def own_row?
      guard.job.effect.kind == "own_row"
    end

    # One for each database, and the same for all of an operation, wherever its body goes.
    def guard
      database = Twiceproof.configuration.database
      @lock.synchronize { @guards[database] ||= Twiceproof.configuration.guard(type, @look_up) }
    end

    def run(delivery, &act)
      return guard.run_tx(ask(:connection), delivery, &act) if own_row?

      Twiceproof.configuration.refuse_open_transaction
      guard.run(delivery, application: ask(:connection_in_use), &act)
    end

    private

    # Nothing is claimed yet, so whatever it raises keeps the message.
    def ask(which)
      @application ? @application.call : Twiceproof.configuration.public_send(which)
    rescue Error
      raise
    rescue StandardError => e
      raise NotStoredError, "connection: #{e.message}"
    end
  end
end
