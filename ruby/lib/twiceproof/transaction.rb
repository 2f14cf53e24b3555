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
  # last is called at the block's end: where the owner runs callbacks between that and the COMMIT, what it is given is
  # run after them. After a failure committed? tells whether the COMMIT was answered; ended?, whether the body has
  # ended the transaction by what belongs to the connection's owner.
  class Transaction
    class << self
      # connection is a driver's, ActiveRecord's (ActiveRecord::Base.connection) or Sequel's (a Database).
      def on(connection, records)
        kind(connection).new(connection, records)
      end

      # Whether the application has a transaction open.
      def open?(connection)
        kind(connection).begun?(connection)
      end

      def begun?(connection)
        Driver.of(connection).in_transaction?(connection)
      end

      private

      def kind(connection)
        return ActiveRecordTransaction if connection.respond_to?(:raw_connection)

        connection.respond_to?(:rollback_on_exit) ? SequelTransaction : self
      end
    end

    def initialize(connection, records)
      @connection = connection
      @records = records
      @open = false
    end

    def perform(&block)
      refuse if self.class.begun?(@connection)
      @raw = raw
      @driver = Driver.of(@raw)
      refuse if open?
      ending(&block)
    end

    def last
      yield
    end

    def committed?
      false
    end

    def ended?
      false
    end

    private

    # The first statement of all, in MySQL: a connection that is found lost is closed, or a thread that keeps it is
    # given it for ever.
    def open?
      @driver.in_transaction?(@raw)
    rescue StandardError => e
      close unless Failure.answered?(e)
      raise
    end

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
end

require_relative "active_record_transaction"
require_relative "sequel_transaction"
