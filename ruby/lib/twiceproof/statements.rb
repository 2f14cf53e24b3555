# frozen_string_literal: true

require_relative "errors"

module Twiceproof
  # The statements of the record: the same texts in every language, one file each.
  class Statements
    TABLE = "idempotency_records"
    PLAIN_TABLE = /\A[A-Za-z_][A-Za-z0-9_]{0,62}(?:\.[A-Za-z_][A-Za-z0-9_]{0,62})?\z/.freeze
    DATA = File.join(__dir__, "data")

    attr_reader :table

    # The table is written into the text, so only a plain identifier is taken.
    def initialize(table = TABLE)
      raise RefusedError, "table \"#{table}\" is not a plain identifier" unless table.match?(PLAIN_TABLE)

      @table = table
      @read = {}
    end

    # Empty when the dialect needs none.
    def text(dialect, verb)
      @read[[dialect, verb]] ||= load(dialect, verb)
    end

    private

    # Comments go: some drivers look for parameters in them.
    def load(dialect, verb)
      lines = File.readlines(File.join(DATA, dialect, "#{verb}.sql"), encoding: "UTF-8")
      lines.reject { |line| line.start_with?("--") }.join.gsub(TABLE, @table).strip.freeze
    end
  end
end
