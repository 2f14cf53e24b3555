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

  # The driver pg.
  class PgDriver < Driver
    IDLE = 0
    ACTIVE = 1
    LOST = 4
    BYTEA = 17

    def dialect
      "postgres"
    end

    # Parameters and answers as texts, whatever types the application has set up.
    def run(connection, sql, args = [])
      result = query(connection, sql, args.map { |a| parameter(a) })
      Answer.new(rows(result), result.cmd_tuples == 1)
    ensure
      result&.clear
    end

    def in_transaction?(connection)
      ![IDLE, LOST].include?(connection.transaction_status)
    end

    def lost?(connection)
      connection.transaction_status == LOST
    end

    # A standby and what becomes of it have the same identifier.
    def place(connection, table)
      sql = "SELECT (SELECT system_identifier FROM pg_control_system()), to_regclass($1)::oid"
      run(connection, sql, [table]).rows.first
    end

    def limited
      @limited ||= LimitedPgDriver.new
    end

    # A request that comes before the server has begun the statement is ignored, so it is made again. A server that
    # answers nothing at all keeps no worker: the connection is closed.
    def stop(connection)
      return unless connection.transaction_status == ACTIVE

      5.times do
        cancel(connection)
        return if connection.block(0.5)
      end
      connection.close
    end

    def disown(connection)
      connection.socket_io.reopen(IO::NULL)
    end

    private

    def query(connection, sql, args)
      args.empty? ? connection.exec(sql) : connection.exec_params(sql, args, 0, plain)
    end

    # The request goes over another connection, which may wait as well.
    def cancel(connection)
      request = Thread.new { Thread.handle_interrupt(Object => :immediate) { connection.cancel } }
      request.report_on_exception = false
      request.join(1) || request.kill
    end

    def plain
      @plain ||= PG::TypeMapAllStrings.new
    end

    def parameter(value)
      return value.to_s if value.is_a?(Integer)

      value.is_a?(String) && value.encoding == Encoding::BINARY ? {value: value, format: 1} : value
    end

    def rows(result)
      result.type_map = plain
      bytes = (0...result.nfields).select { |i| result.ftype(i) == BYTEA }
      all = result.values
      all.each { |row| bytes.each { |i| row[i] &&= PG::Connection.unescape_bytea(row[i]) } }
    end
  end

  # The driver pg, for a server that is stopped and a table that is locked: neither the server's own limits nor the
  # network's end that.
  class LimitedPgDriver < PgDriver
    LIMIT = 6 # seconds; a statement_timeout of 5s comes first

    private

    def query(connection, sql, args)
      args.empty? ? connection.send_query(sql) : connection.send_query_params(sql, args, 0, plain)
      return connection.get_last_result if connection.block(LIMIT)

      cancel(connection)
      connection.close
      raise PG::ConnectionBad, "no answer within #{LIMIT} seconds"
    end
  end

  # The driver mysql2.
  class Mysql2Driver < Driver
    PLAIN = {as: :array, cast: false, async: false, stream: false, cache_rows: true, symbolize_keys: false}.freeze
    PARAMETER = /\?(\d+)/.freeze
    IN_TRANSACTION = 1568

    def dialect
      "mysql"
    end

    # Each value is written in hexadecimal: that is the same in every character set and mode of a connection.
    # The insert id tells what was done, since the number of rows depends on a flag of the connection.
    def run(connection, sql, args = [])
      result = connection.query(sql.gsub(PARAMETER) { literal(args.fetch(Regexp.last_match(1).to_i - 1)) }, PLAIN)
      rows = result.to_a
      Answer.new(rows, connection.last_id != 0)
    ensure
      result&.free
    end

    # No server's name: it is another one at each node of a cluster.
    def place(connection, table)
      table.include?(".") ? nil : run(connection, "SELECT DATABASE()").rows.dig(0, 0)&.downcase
    end

    # The driver does not show it, so the server is asked for what it refuses only within a transaction.
    def in_transaction?(connection)
      run(connection, "SET TRANSACTION READ WRITE")
      false
    rescue StandardError => e
      raise unless Failure.mysql_number(e) == IN_TRANSACTION

      true
    end

    def commit_each(connection)
      run(connection, "SET autocommit = 1")
    end

    # The driver cannot end a statement, and some frameworks then wait for it: the connection is closed instead.
    def stop(connection)
      run(connection, "DO 0")
    rescue StandardError
      connection.close
    end

    def disown(connection)
      connection.automatic_close = false
    end

    private

    def literal(value)
      return "NULL" if value.nil?
      return value.to_s if value.is_a?(Integer)

      hex = "x'#{value.unpack1("H*")}'"
      value.encoding == Encoding::BINARY ? hex : "_utf8mb4 #{hex}"
    end
  end

  # The driver sqlite3.
  class SQLite3Driver < Driver
    def dialect
      "sqlite"
    end

    # A prepared statement answers plain arrays, whatever the application's own answer.
    def run(connection, sql, args = [])
      rows = connection.prepare(sql) do |statement|
        args.each.with_index(1) { |value, i| statement.bind_param(i, value) }
        all(statement)
      end
      Answer.new(rows, connection.changes == 1)
    end

    def in_transaction?(connection)
      connection.transaction_active?
    end

    # The file, by whatever name.
    def place(connection, _table)
      path = run(connection, "PRAGMA database_list").rows.find { |_, name| name == "main" }&.last.to_s
      path.empty? ? "memory" : File.stat(path).then { |file| [file.dev, file.ino] }
    end

    private

    def all(statement)
      rows = []
      while (row = statement.step)
        rows << row.to_a
      end
      rows
    end
  end
end

require_relative "failure"
