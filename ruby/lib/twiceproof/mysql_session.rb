# frozen_string_literal: true

require_relative "errors"

# What the guard asks of MySQL and MariaDB.
module Twiceproof
  NO_TABLE = "the table is not there, or has neither its key nor transactions; twiceproof schema prints it as it must be"
  NO_KEY = "the table needs a unique key on job_type and operation_key, both VARBINARY, and no other one: " \
           "a repeat would be claimed again, or two operations taken for one; twiceproof schema prints the table as it must be"
  NO_TRANSACTIONS = "the table's engine has no transactions, so a claim would stay when its own row is rolled back, " \
                    "and the effect be missing for good: stop the workers, then ALTER TABLE … ENGINE=InnoDB"
  private_constant :NO_TABLE, :NO_KEY, :NO_TRANSACTIONS

  # What a connection of MySQL or MariaDB is set to; limits are those of a silent client and of one that does not
  # take what is sent, in seconds, and of a statement, in milliseconds (0: none).
  MySQLSession = Struct.new(:autocommit, :dirty, :limits) do
    def self.of(row)
      autocommit, dirty, key, transactions, *limits = row.map(&:to_i)
      check_table(key == 1, transactions == 1)
      new(autocommit == 1, dirty == 1, limits)
    end

    # Without the key ON DUPLICATE KEY says nothing about one that is there; with another one it takes two for one.
    def self.check_table(key, transactions)
      raise RefusedError, NO_TABLE unless key || transactions
      raise RefusedError, NO_KEY unless key
      raise RefusedError, NO_TRANSACTIONS unless transactions
    end

    # Of a connection over which claims are committed and records are read.
    def check_own
      return unless dirty

      raise RefusedError, "this connection reads what is not committed, so an own row that is rolled back would be " \
                          "taken for done: set another isolation level, such as READ COMMITTED"
    end

    # The server lets go of a transaction once the lease is over.
    def limits_within(lease_ms)
      wait, write, statement = limits
      seconds = [lease_ms.fdiv(1000).ceil, 1].max
      statement = seconds * 1000 if statement.zero?
      [[wait, seconds].min, [write, seconds].min, [statement, seconds * 1000].min]
    end
  end
end
