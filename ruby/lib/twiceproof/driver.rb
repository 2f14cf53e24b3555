# frozen_string_literal: true

require_relative "errors"

module Twiceproof
  # What a statement answered: its rows, and whether it did what it is for.
  Answer = Struct.new(:rows, :done)

  # The database drivers: how each is asked and told. None is loaded here: they are the application's.
  class Driver
    class << self
      # Also of a connection whose class is derived from a driver's.
      def of(connection)
        names = connection.class.ancestors.map(&:name)
        found = known.find { |name, _| names.include?(name) }
        return found.last if found

        raise RefusedError, "a connection of #{connection.class} is not known; known: #{known.keys.join(", ")}"
      end

      private

      def known
        @known ||= {"PG::Connection" => PgDriver.new, "Mysql2::Client" => Mysql2Driver.new,
                    "SQLite3::Database" => SQLite3Driver.new}.freeze
      end
    end

    def mysql?
      dialect == "mysql"
    end

    def sqlite?
      dialect == "sqlite"
    end

    # The same, for statements that must not wait without end. (The others' drivers have a time limit of their own.)
    def limited
      self
    end

    # Ends a statement that was left in the middle, and may still be under way at the server.
    def stop(_connection); end

    # Makes every statement a transaction of its own.
    def commit_each(_connection); end

    # Which table a name means on this connection, as far as no cluster, proxy or failover makes two of one; nil: unknown.
    def place(_connection, _table)
      nil
    end

    # The driver knows that the server is gone. (Another one finds out by what it sends next.)
    def lost?(_connection)
      false
    end

    def begin(connection)
      run(connection, "BEGIN")
    end

    def commit(connection)
      run(connection, "COMMIT")
    end

    def rollback(connection)
      run(connection, "ROLLBACK")
    end

    def close(connection)
      connection.close
    end

    # For a connection that was opened before a fork: its end in this process must not say goodbye to the
    # server in the parent's name.
    def disown(_connection); end
  end
end

require_relative "failure"
require_relative "mysql2_driver"
require_relative "pg_driver"
require_relative "sqlite3_driver"
