# frozen_string_literal: true

require_relative "driver"

module Twiceproof
  # The guard's own connections, on which every statement is a transaction of its own. Each is lent to one
  # statement at a time.
  #
  # They are kept by process: one that was opened before a fork is never used after it, since both would speak
  # on the parent's socket. What failed, or was left in the middle, is closed, and the next statement goes
  # over another one.
  class OwnConnections
    def initialize(connect)
      @connect = connect
      @free = {}
      @opened = ObjectSpace::WeakMap.new
    end

    def lend
      connection = free.pop || open
      whole = false
      answer = yield connection, Driver.of(connection).limited
      whole = true
      answer
    ensure
      give_back(connection, whole) if connection
    end

    # Closes this process's free connections.
    def close
      list = free
      close_one(list.pop) until list.empty?
    end

    private

    # No lock: a lock could be held across a fork. push and pop are whole by themselves.
    def free
      @free[Process.pid] ||= disown_others && []
    end

    def disown_others
      @free.each_value { |list| list.each { |connection| disown(connection) } }
    end

    def disown(connection)
      Driver.of(connection).disown(connection)
    rescue StandardError
      nil # it was broken already
    end

    def open
      connection = @connect.call
      driver = Driver.of(connection).limited
      raise RefusedError, "connect gave the same connection again; let it open another one at each call" if @opened[connection]

      @opened[connection] = true
      if driver.in_transaction?(connection)
        raise RefusedError, "connect gave a connection with an open transaction; give the guard one of its own"
      end

      driver.commit_each(connection)
      connection
    end

    def give_back(connection, whole)
      whole ? free.push(connection) : close_one(connection)
    end

    def close_one(connection)
      Driver.of(connection).close(connection)
    rescue StandardError
      nil # it was closed already
    end
  end
end
