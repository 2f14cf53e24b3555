# frozen_string_literal: true

module Twiceproof
  # What an error of a driver means.
  module Failure
    POSTGRES_BUSY = %w[40001 40P01 55P03].freeze
    # 57014: the server's own time limit. 53300: too many connections. 57P01-57P03: the server stops or starts.
    # 57P05: the connection was idle for too long.
    POSTGRES_MAY_CHANGE = (POSTGRES_BUSY + %w[53300 57014 57P01 57P02 57P03 57P05]).freeze
    # 1205, 1213, 3572 and MariaDB's 1020: another transaction was in the way.
    MYSQL_BUSY = [1020, 1205, 1213, 3572].freeze
    # 1040, 1203: too many connections. 1047: a cluster's node without its majority. 1053, 1077, 1927, 3169,
    # 4031: the server stops, or has ended the connection. 1158-1161: the network. 1317, 1969, 3024: the
    # statement was ended by a person or a time limit. From 2000 on they are the client's, about the connection.
    MYSQL_MAY_CHANGE = [*MYSQL_BUSY, 1040, 1047, 1053, 1077, *1158..1161, 1203, 1317, 1927, 1969, 3024, 3169, 4031,
                        *2000..2999].freeze
    SQLITE_BUSY = [5, 6].freeze # and their extended forms

    module_function

    # A claim failed only because another transaction was in the way.
    def busy?(error)
      within(error) do |e|
        POSTGRES_BUSY.include?(sqlstate(e)) || MYSQL_BUSY.include?(mysql_number(e)) || sqlite_busy?(e)
      end
    end

    # The same statement may be answered when it is sent again: the database was busy, or its reply was lost.
    # An error without a code comes from the connection.
    def may_change?(error)
      within(error) do |e|
        case family(e)
        when "PG" then postgres_may_change?(sqlstate(e))
        when "Mysql2" then mysql_number(e).nil? || MYSQL_MAY_CHANGE.include?(mysql_number(e))
        when "SQLite3" then sqlite_busy?(e)
        else e.is_a?(SystemCallError) || e.is_a?(IOError)
        end
      end
    end

    # The database answered with a code of its own, and not only that it, or the connection, is going.
    def answered?(error)
      within(error) do |e|
        case family(e)
        when "PG" then !sqlstate(e).nil? && !sqlstate(e).start_with?("08", "57P")
        when "Mysql2" then MYSQL_BUSY.include?(mysql_number(e)) || !may_change?(e)
        else family(e) == "SQLite3"
        end
      end
    end

    def sqlstate(error)
      return unless family(error) == "PG" && error.respond_to?(:result)

      error.result&.error_field("C".ord) # PG_DIAG_SQLSTATE
    end

    def mysql_number(error)
      number = error.error_number if family(error) == "Mysql2" && error.respond_to?(:error_number)
      number unless number&.zero?
    end

    # A driver's error may be the cause of a framework's.
    def within(error, &meaning)
      [error, error&.cause].compact.any?(&meaning)
    end

    def family(error)
      error.class.ancestors.each do |c|
        name = c.name.to_s[/\A(?:PG|Mysql2|SQLite3)(?=::)/]
        return name if name
      end
      nil
    end

    def postgres_may_change?(state)
      state.nil? || POSTGRES_MAY_CHANGE.include?(state) || state.start_with?("08")
    end

    def sqlite_busy?(error)
      family(error) == "SQLite3" && error.respond_to?(:code) && SQLITE_BUSY.include?(error.code.to_i & 0xFF)
    end
  end
end
