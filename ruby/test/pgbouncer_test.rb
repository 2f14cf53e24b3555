# frozen_string_literal: true

require_relative "guarded_test"

# Behind PgBouncer a connection is the server's for one transaction only, or for one statement: nothing of the guard's
# is kept in a session. The programs are those of `make servers`.
class PgbouncerTest < GuardedTest
  WORKERS = 20

  def setup
    super
    @type = self.class.next_type
    @database = TestDatabase.named("postgres")
  end

  def teardown
    super
    @bouncer&.stop
  end

  def test_transaction_mode
    start("transaction")
    outside = guard(self, job("hold"))
    acts = Queue.new
    outcomes = at_once { outside.run(delivery) { acts << 1 }.outcome }

    assert_equal [1, []], [acts.size, outcomes - %i[completed live]]
    rows_once
  end

  # The control: a session's own state is another worker's there.
  def test_control_of_transaction_mode
    start("transaction")
    connections = Array.new(2) { connect }
    connections[0].exec("SET lock_timeout = '4321ms'")

    assert_equal("4321ms", connections[1].exec("SHOW lock_timeout").getvalue(0, 0))
  ensure
    connections&.each(&:close)
  end

  # A transaction is refused, so nothing is acted; an outside effect needs none.
  def test_statement_mode
    start("statement")

    assert_equal(:completed, guard(self, job("hold")).run(delivery) { nil }.outcome)
    @type = self.class.next_type
    assert_raises(Twiceproof::NotStoredError) { guard(self, job).run_tx(connect, delivery) { flunk } }
    assert_nil record(@database)
  end

  def connect
    PG.connect(host: "127.0.0.1", port: @bouncer.port, user: "postgres", dbname: "tests", connect_timeout: 30)
  end

  private

  def start(mode)
    @bouncer = Server.pgbouncer(@database.address[:port], mode, 2)
    @bouncer.wait { connect }
  end

  def rows_once
    @type = self.class.next_type
    own = guard(self, job)
    sql = "INSERT INTO effects (job, item) VALUES ('#{@type}', '1')"
    outcomes = at_once do
      connection = connect
      own.run_tx(connection, delivery) { connection.exec(sql) }.outcome
    ensure
      connection&.close
    end

    assert_equal [1, []], [@database.effects(@type, "1"), outcomes - %i[completed live]]
  end

  def at_once(&work)
    Array.new(WORKERS) { Thread.new(&work) }.map(&:value)
  end
end
