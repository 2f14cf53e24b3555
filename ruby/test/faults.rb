# frozen_string_literal: true

# Connections that are cut, refused or stopped at a statement. Below them are the real driver and database.
class Faults
  # kind: request, reply, refuse or pause; it strikes the nth sending from now, once.
  Strike = Struct.new(:verb, :kind, :nth, :fired)

  def self.shut(number)
    socket = BasicSocket.for_fd(number)
    socket.autoclose = false
    socket.shutdown
  end

  attr_reader :strikes

  def initialize(dialect, &pause)
    @verbs = patterns(dialect)
    @pause = pause
    @strikes = []
    @lock = Mutex.new
  end

  # The driver's own connection, with the faults before its statements.
  def strike(connection)
    faults = self
    connection.singleton_class.prepend(FOR.fetch(connection.class.name))
    connection.define_singleton_method(:faults) { faults }
    connection
  end

  # nested: a statement that the faults themselves send.
  def around(connection, sql, &run)
    return run.call if Thread.current[:within_a_fault]

    due = due_at(verb_of(sql))
    @pause.call if due.include?("pause")
    cut(connection) if due.include?("request")
    return quietly { refused(connection) } if due.include?("refuse")

    done = run.call
    cut(connection) if due.include?("reply")
    done
  end

  private

  def patterns(dialect)
    names = Dir.children(File.join(Twiceproof::Statements::DATA, dialect)).map { |file| File.basename(file, ".sql") }
    texts = names.to_h { |name| [name, Twiceproof::Statements.new.text(dialect, name)] }
    texts.merge!("begin" => "BEGIN", "commit" => "COMMIT")
    texts.reject { |_, text| text.empty? }.transform_values { |text| pattern(dialect, text) }
  end

  # MySQL's statements are sent with their values in them.
  def pattern(dialect, text)
    return /\A#{Regexp.escape(text)}\z/ unless dialect == "mysql"

    /\A#{text.split(/\?\d+/, -1).map { |part| Regexp.escape(part) }.join("(?:NULL|-?\\d+|(?:_utf8mb4 )?x'\\h*')")}\z/
  end

  def verb_of(sql)
    @verbs.find { |_, pattern| pattern.match?(sql) }&.first
  end

  # What strikes this sending.
  def due_at(verb)
    @lock.synchronize do
      waiting = strikes.select { |s| s.verb == verb && !s.fired }
      waiting.each { |s| s.fired = (s.nth -= 1).zero? }
      waiting.select(&:fired).map(&:kind)
    end
  end

  def quietly
    Thread.current[:within_a_fault] = true
    yield
  ensure
    Thread.current[:within_a_fault] = nil
  end

  def refused(connection)
    Twiceproof::Driver.of(connection).run(connection, "SELECT a_column_that_is_not_there FROM idempotency_records")
  end

  # Raises the driver's own error of a lost connection. What was open is rolled back, as the server does by itself.
  def cut(connection)
    quietly do
      driver = Twiceproof::Driver.of(connection)
      driver.rollback(connection) if driver.in_transaction?(connection)
      connection.shut
      driver.run(connection, "SELECT 1")
    end
    raise "the connection is not cut"
  end

  module OfPg # :nodoc:
    def exec(sql, *)
      faults.around(self, sql) { super }
    end

    def exec_params(sql, *)
      faults.around(self, sql) { super }
    end

    # Sent and answered at once.
    def send_query_params(sql, *more)
      @answer = exec_params(sql, *more)
    end

    def block(*)
      @answer ? true : super
    end

    def get_last_result # rubocop:disable Naming/AccessorMethodName
      @answer.tap { @answer = nil } || super
    end

    def shut
      Faults.shut(socket_io.fileno)
    end
  end

  module OfMysql2 # :nodoc:
    def query(sql, *)
      faults.around(self, sql) { super }
    end

    def shut
      Faults.shut(socket)
    end
  end

  module OfSQLite3 # :nodoc:
    def prepare(sql, &block)
      faults.around(self, sql) { super(sql, &block) }
    end

    # Nothing lies between this process and its file.
    def shut
      close
      raise Errno::ECONNRESET
    end
  end

  FOR = {"PG::Connection" => OfPg, "Mysql2::Client" => OfMysql2, "SQLite3::Database" => OfSQLite3}.freeze
end
