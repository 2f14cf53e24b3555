# frozen_string_literal: true

module Twiceproof
  # Through Sequel, whose transactions are blocks that commit when they are left by throw, unless told otherwise.
  class SequelTransaction < Transaction
    def self.begun?(connection)
      connection.in_transaction?
    end

    def perform(&block)
      @connection.synchronize { super(&block) }
    end

    private

    def raw
      @connection.synchronize { |connection| connection }
    end

    # A transaction of the body's own is a savepoint: what it rolls back must not be committed with this one.
    def within(&block)
      @open = true
      commit = false
      @connection.transaction(auto_savepoint: true) do
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
