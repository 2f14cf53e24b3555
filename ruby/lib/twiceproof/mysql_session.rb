# frozen_string_literal: true

require_relative "errors"

module Twiceproof
  # What a connection of MySQL or MariaDB is set to; limits are those of a silent client and of one that does not
  # take what is sent, in seconds, and of a statement, in milliseconds (0: none).
  MySQLSession = Struct.new(:autocommit, :dirty, :limits) do
    def self.of(row)
      autocommit, dirty, key, *limits = row.map(&:to_i)
      # Without it ON DUPLICATE KEY says nothing about a key that is there; with another one it takes two for one.
      unless key == 1
        raise RefusedError, "the table needs a unique key on job_type and operation_key, both VARBINARY, and no other one: " \
                            "a repeat would be claimed again, or two operations taken for one"
      end

      new(autocommit == 1, dirty == 1, limits)
    end

    # Of a connection over which claims are committed and records are read.
    def check_own
      raise RefusedError, "autocommit is off on this connection: a claim would not be committed before the act" unless autocommit
      return unless dirty

      raise RefusedError, "this connection reads what is not committed: " \
                          "an own row that is rolled back would be taken for done"
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
