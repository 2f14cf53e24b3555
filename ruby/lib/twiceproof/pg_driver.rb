# frozen_string_literal: true

module Twiceproof
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
      connection.send_query_params(sql, args, 0, plain)
      return connection.get_last_result if connection.block(LIMIT)

      cancel(connection)
      connection.close
      raise PG::ConnectionBad, "no answer within #{LIMIT} seconds"
    end
  end
end
