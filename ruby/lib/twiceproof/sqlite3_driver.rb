# frozen_string_literal: true

module Twiceproof
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
