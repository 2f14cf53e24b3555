# frozen_string_literal: true

module Twiceproof
  # Through ActiveRecord, so that a model's own transactions join it, and its callbacks run.
  class ActiveRecordTransaction < Transaction
    def self.begun?(connection)
      connection.transaction_open?
    end

    def callbacks?
      true
    end

    private

    def raw
      @connection.raw_connection
    end

    def within(&block)
      @open = true
      start { @connection.begin_transaction(joinable: true, _lazy: false) }
      return false unless work(&block)

      # Else commit_transaction would only release a savepoint.
      raise BodyError, "not committed: the body left a transaction of its own open" if depth > 1

      @connection.commit_transaction
      true
    end

    # Nothing is written yet, so it may be left: the server may not answer, and this is the application's connection.
    def start(&block)
      begun = false
      Interrupts.allow(&block)
      begun = true
    ensure
      stop unless begun
    end

    def depth
      @connection.open_transactions
    end

    # ActiveRecord forgets a transaction whose COMMIT failed, also one that is still open.
    def roll_back
      @connection.rollback_transaction while depth.positive?
      super if @driver.in_transaction?(@raw)
    end

    # Out of its pool as well: a thread that keeps its connection would be given the closed one for ever.
    def close
      @connection.pool.remove(@connection) if @connection.pool.respond_to?(:remove)
      @connection.disconnect!
    rescue StandardError
      nil # it was closed already
    end
  end
end
