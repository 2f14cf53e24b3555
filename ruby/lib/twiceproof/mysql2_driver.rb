# frozen_string_literal: true

module Twiceproof
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
end
