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

    attr_reader :type, :of, :not_applied

    def initialize(type, of: nil, look_up: nil, not_applied: [], application: nil, transaction: :perform)
      raise ArgumentError, "transaction is :perform or :block" unless %i[perform block].include?(transaction)

      @type = type
      @of = of
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
      @lock.synchronize { @guards[database] ||= made }
    end

    def run(delivery, &act)
      return guard.run_tx(ask(:connection), delivery, &act) if own_row?

      Twiceproof.configuration.refuse_open_transaction
      guard.run(delivery, application: ask(:connection_in_use), &act)
    end

    private

    def made
      first = JobSettings.all.take_while { |other| !other.equal?(self) }.find { |other| second_to?(other) }
      return Twiceproof.configuration.guard(type, @look_up) unless first

      raise RefusedError, "job #{type} guards #{first.of}, and #{of} would be skipped where that has acted for the same key: " \
                          "name another job in #{of}, or make it a child of #{first.of}"
    end

    # Not its child, nor either of them loaded again.
    def second_to?(other)
      type == other.type && [of, other.of].all? { |job| job&.name } && (line(of) & line(other.of)).empty?
    end

    def line(job)
      job.ancestors.select { |above| above.instance_variable_defined?(:@twiceproof_settings) }.map(&:name)
    end

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
