# frozen_string_literal: true

require "socket"
require_relative "failure"
require_relative "mysql_session"
require_relative "own_connections"
require_relative "record"
require_relative "statements"

module Twiceproof
  # The verbs over the table: one statement each, none decides.
  class Records
    attr_reader :own, :job

    def initialize(own, job, table, worker)
      @own = own
      @job = job
      @statements = Statements.new(table)
      @worker = worker
      @session_checked = false
      @placed = ObjectSpace::WeakMap.new
    end

    # For people; it never decides, so no database may refuse it: only what every column and encoding takes. Asked
    # each time, since a worker may have been forked.
    def worker
      name = @worker || "#{Socket.gethostname}/#{Process.pid}"
      name.encode("UTF-8", invalid: :replace, undef: :replace, replace: "?").scrub("?").gsub(/[^ -~]/, "?")[0, 255]
    end

    # Executes a verb; args are its numbered parameters.
    def run(connection, driver, verb, *args)
      sql = @statements.text(driver.dialect, verb)
      return Answer.new([], true) if sql.empty? # nothing to mark in PostgreSQL

      # Job type and key go to MySQL as bytes, which is what their columns are.
      args = args.each_with_index.map { |a, i| i < 2 && a.is_a?(String) ? a.b : a } if driver.mysql?
      driver.run(connection, sql, args)
    end

    # Runs a verb on the operation's record and tells whether it did what it is for.
    def changed(verb, key, *args)
      own.lend { |connection, driver| run(connection, driver, verb, job.type, key, *args).done }
    end

    def read(key)
      own.lend { |connection, driver| read_on(connection, driver, key) }
    end

    def read_on(connection, driver, key)
      row = run(connection, driver, "read", job.type, key).rows.first
      row && Record.of(row)
    end

    # Inserts the record or answers the one that is there; nil when that cannot be seen yet.
    def claim(c)
      own.lend do |connection, driver|
        check_session(connection, driver)
        # An INSERT locks the whole database of SQLite, so a duplicate reads first.
        found = read_on(connection, driver, c.key) if driver.sqlite?
        found || insert(connection, driver, c) || read_on(connection, driver, c.key)
      end
    end

    def take_over(c, seen, extra_ms)
      changed("take_over", c.key, seen.token, c.token, job.stored_lease_ms, worker, job.policy, seen.acts, extra_ms)
    end

    def hold(c, seen, reason)
      changed("hold", c.key, seen.token, reason, (job.policy unless job.policy.empty?), seen.acts)
    end

    def assume(c, seen)
      changed("assume", c.key, seen.token, job.policy, seen.acts)
    end

    def renew(c)
      changed("renew", c.key, c.token, job.stored_lease_ms)
    end

    def act_again(c, acts)
      changed("act_again", c.key, c.token, acts)
    end

    def complete(c, completion, result)
      changed("complete", c.key, c.token, completion, result)
    end

    def release(c, new_token)
      changed("release", c.key, c.token, new_token)
    end

    def give_up(c, pause_ms, lookups)
      changed("give_up", c.key, c.token, pause_ms, lookups)
    end

    def late_finish(c)
      changed("late_finish", c.key, c.token)
    end

    def repeat(key)
      changed("repeat", key)
    end

    def hold_own_row(c)
      changed("hold_own_row", c.key, c.token, "body_ended_transaction", c.message)
    end

    # The first statement of the transaction. The answer is what its seal needs; nil when nothing was claimed.
    def claim_own_row(connection, driver, c)
      args = [job.type, c.key, c.token, worker, *printed(c), c.reference]
      args << job.lease_ms unless driver.mysql? || driver.sqlite? # the timers are PostgreSQL's
      answer = run(connection, driver, "claim_own_row", *args)
      number = driver.mysql? ? (c.token if answer.done) : answer.rows.dig(0, 0)
      run(connection, driver, "mark_own_row") if number
      number
    end

    # The last statements of the transaction; the seal fails in any other one.
    def seal_own_row(connection, driver, c, result, number)
      run(connection, driver, "result_own_row", job.type, c.key, c.token, result) if result
      run(connection, driver, "seal_own_row", *(number if driver.dialect == "postgres"))
    end

    # Asked of the first connection; those of one application are set alike.
    def application_session(connection, driver)
      @application_session ||= mysql_session(connection, driver)
    end

    # Asked once of each connection that own rows are written on: the guard reads their records over its own.
    def check_place(connection, driver)
      return if @placed[connection]

      here = place(connection, driver)
      there = own.lend { |mine, its| place(mine, its) }
      if here && there && here != there
        raise RefusedError, "the connection that own rows are written on leads to another database, or to the table of another " \
                            "schema, than the guard's own connections: nobody would find the records. Set connect (with " \
                            "ActiveRecord: active_record), or the job's application, so that both lead to one"
      end
      @placed[connection] = true
    end

    private

    # An account that may not ask is believed.
    def place(connection, driver)
      driver.place(connection, @statements.table)
    rescue StandardError => e
      raise unless Failure.answered?(e)
    end

    def mysql_session(connection, driver)
      MySQLSession.of(run(connection, driver, "session").rows.first)
    end

    def insert(connection, driver, c)
      row = run(connection, driver, "claim", job.type, c.key, c.token, job.stored_lease_ms, worker, job.policy,
                *printed(c), c.reference, c.message).rows.first
      row && Record.of(row) # PostgreSQL and MariaDB answer the record
    end

    def printed(c)
      [c.print.digest, (c.print.fields unless c.print.fields.empty?)]
    end

    def check_session(connection, driver)
      return if @session_checked || !driver.mysql?

      mysql_session(connection, driver).check_own
      @session_checked = true
    end
  end
end
