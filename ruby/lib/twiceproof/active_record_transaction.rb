# frozen_string_literal: true

module Twiceproof
  # Through ActiveRecord, so that a model's own transactions join it, and its callbacks run.
  class ActiveRecordTransaction < Transaction
    # A transaction of the body's own would join the guard's, and what it rolls back (by an error that the body
    # rescues, ActiveRecord::Rollback, a save that is false) would be committed all the same. So it is a savepoint,
    # whose callbacks still wait for the COMMIT.
    module Inner
      attr_accessor :twiceproof_outermost, :twiceproof_last, :twiceproof_committed

      def transaction(requires_new: nil, **more, &block)
        outermost = @twiceproof_outermost && open_transactions == 1
        super(requires_new: requires_new || outermost, **more, &block)
      end

      def commit_db_transaction
        Interrupts.defer { @twiceproof_last.call } if @twiceproof_last # ActiveRecord lets them in
        super
        @twiceproof_committed = true
      end

      # A new session has lost the claim, and commits each statement by itself.
      %i[reconnect! reset!].each do |name|
        define_method(name) do |*given, **more|
          open = @twiceproof_outermost && open_transactions.positive? # it may have been left before that was taken back
          raise RefusedError, "#{name} in the guard's transaction loses it; call it before" if open

          super(*given, **more)
        end
      end
    end

    def self.begun?(connection)
      connection.transaction_open?
    end

    # What a callback of before_commit does is in the transaction, and an error that it swallows is found out.
    def last(&seal)
      @connection.twiceproof_last = seal
    end

    # What was raised since is a callback's.
    def committed?
      @connection.twiceproof_committed
    end

    # ActiveRecord itself has closed the connection, as establish_connection does.
    def ended?
      depth.zero?
    end

    private

    def raw
      @connection.raw_connection
    end

    def within(&block)
      @open = true
      @owner = @connection.owner
      start { @connection.begin_transaction(joinable: true, _lazy: false) }
      guard_inner
      return false unless work(&block)

      refuse_what_the_body_left
      @connection.commit_transaction
      committed?
    ensure
      @connection.twiceproof_outermost = @connection.twiceproof_last = nil if @connection.is_a?(Inner)
    end

    # From 7.1 on ActiveRecord does not see the guard's own statements, and would begin anew instead of a savepoint.
    def guard_inner
      @connection.extend(Inner).twiceproof_outermost = true
      @connection.twiceproof_committed = false
      current = @connection.current_transaction
      current.dirty! if current.respond_to?(:dirty!)
    end

    # Where the body has left a transaction of its own, commit_transaction would only release a savepoint; where it has
    # let go of its connection (clear_active_connections!), other threads write in this transaction.
    def refuse_what_the_body_left
      raise BodyError, "not committed: the body left a transaction of its own open" if depth > 1
      raise BodyError, "not committed: the body gave the connection back to its pool" if @connection.owner != @owner
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
