# frozen_string_literal: true

require_relative "driver"
require_relative "errors"
require_relative "failure"
require_relative "interrupts"

module Twiceproof
  # The transaction that holds an own row's claim, effect and completion. However its block is left, it commits
  # only when that returned true.
  #
  # Whoever owns the connection can give the guard another one: perform opens the outermost transaction, yields
  # the driver's connection, commits when the block returned true, and rolls back otherwise, also when the block
  # was left by throw or the thread is killed (nil: nothing was claimed). It never ends what was open before.
  # callbacks? tells whether anything is sent between the block and the COMMIT.
  class Transaction
    # connection is a driver's, ActiveRecord's (ActiveRecord::Base.connection) or Sequel's (a Database).
    def self.on(connection, records)
      return ActiveRecordTransaction.new(connection, records) if connection.respond_to?(:raw_connection)
      return SequelTransaction.new(connection, records) if connection.respond_to?(:rollback_on_exit)

      new(connection, records)
    end

    # Whether the application has a transaction open.
    def self.open?(connection)
      return connection.transaction_open? if connection.respond_to?(:raw_connection)
      return connection.in_transaction? if connection.respond_to?(:rollback_on_exit)

      Driver.of(connection).in_transaction?(connection)
    end

    def initialize(connection, records)
      @connection = connection
      @records = records
      @open = false
    end

    def perform(&block)
      refuse if Transaction.open?(@connection)
      @raw = raw
      @driver = Driver.of(@raw)
      refuse if @driver.in_transaction?(@raw)
      ending(&block)
    end

    def callbacks?
      false
    end

    private

    # A connection that has failed may look idle to its driver; it is closed all the same.
    def ending(&block)
      committed = broken = false
      @records.check_place(@raw, @driver)
      limit
      committed = within(&block)
    rescue StandardError => e
      broken = !Failure.answered?(e) && !e.is_a?(RefusedError)
      raise
    ensure
      finish(committed, broken)
    end

    def refuse
      raise RefusedError, "a transaction is open on this connection already; the guard begins the outermost one"
    end

    def raw
      @connection
    end

    def within(&block)
      @open = true
      @driver.begin(@raw)
      return false unless work(&block)

      @driver.commit(@raw)
      true
    end

    def work
      commit = false
      commit = yield(@raw)
    ensure
      stop if commit == false
    end

    def stop
      @driver.stop(@raw)
    rescue StandardError
      nil # then rolling back fails as well, and closes the connection
    end

    # Whoever gets this connection next must not write into a transaction that is still open, nor find it lost: newer
    # versions of ActiveRecord take that for a rollback, and keep it.
    def finish(committed, broken)
      clean = false
      roll_back if @open && !committed
      unlimit
      clean = !broken && !@driver.lost?(@raw)
    rescue StandardError
      clean = false
    ensure
      close unless clean
    end

    def roll_back
      @driver.rollback(@raw)
    end

    def close
      @driver.close(@raw)
    rescue StandardError
      nil # it was closed already
    end

    # In MySQL a stopped worker's transaction is ended by settings of the session, undone afterwards. Autocommit is
    # off meanwhile, so that what a body writes after its transaction is gone is not committed by each statement.
    def limit
      return unless @driver.mysql?

      @before = @records.application_session(@raw, @driver)
      set(@before.limits_within(@records.job.lease_ms), false)
    end

    def unlimit
      set(@before.limits, @before.autocommit) if @before
    end

    def set(limits, autocommit)
      @records.run(@raw, @driver, "limit", *limits, autocommit ? 1 : 0)
    end
  end

  # Through ActiveRecord, so that a model's own transactions join it, and its callbacks run.
  class ActiveRecordTransaction < Transaction
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

  # Through Sequel, whose transactions are blocks that commit when they are left by throw, unless told otherwise.
  class SequelTransaction < Transaction
    def perform(&block)
      @connection.synchronize { super(&block) }
    end

    private

    def raw
      @connection.synchronize { |connection| connection }
    end

    def within(&block)
      @open = true
      commit = false
      @connection.transaction do
        @connection.rollback_on_exit
        commit = work(&block)
        @connection.rollback_on_exit(cancel: true) if commit
      end
      commit
    end

    def roll_back
      super if @driver.in_transaction?(@raw)
    end
  end
end
