# frozen_string_literal: true

require_relative "guarded_test"

# What the guard's own connections wait for has an end. PostgreSQL waits for a locked table before any setting of the
# statement is made, and stopped it keeps no limit at all. On the application's connection, of an own row, nothing is
# given up: a row and its record could part.
class WaitingTest < GuardedTest
  def setup
    super
    @type = self.class.next_type
    @app = Application.named("bare postgres")
    @guard = guard(@app.database, job("hold"))
  end

  def test_locked_table
    lock = @app.database.connect
    lock.exec("BEGIN; LOCK TABLE idempotency_records")
    thread = acting

    assert thread.join(60), "it waits without end"
    assert_kind_of Twiceproof::NotStoredError, thread.value
    lock.exec("ROLLBACK")

    assert_equal :completed, acting.value.outcome
  ensure
    lock&.close
  end

  def test_stopped_server
    assert_equal :completed, acting("before").value.outcome # the connections are open
    @app.database.stopped do
      thread = acting
      sleep 0.1 until thread.stop?
      thread.raise(Shutdown) # as at the end of a worker

      assert thread.join(60), "it waits without end"
    end

    assert_equal :completed, acting("after").value.outcome
  end

  # The body's own statement cannot be cancelled there, so its connection is closed: nobody waits for the server.
  def test_stopped_server_while_a_row_is_written
    skip "with TWICEPROOF_FULL" unless ENV["TWICEPROOF_FULL"]
    slow = "SELECT pg_sleep(50), '#{@type}'"
    own = guard(@app.database, job)
    thread = Thread.new { own.run_tx(@app.connection, delivery("row")) { @app.raw.exec(slow) } }
    sleep 0.02 until @app.database.under_way?(slow)
    @app.database.stopped do
      thread.kill

      assert thread.join(60), "it waits without end"
    end

    assert_nil record(@app.database, "row")
  end

  # Its result, or its error.
  def acting(key = "1")
    Thread.new do
      @guard.run(delivery(key)) { nil }
    rescue Twiceproof::Error, Shutdown => e
      e
    end
  end
end
