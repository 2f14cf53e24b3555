# frozen_string_literal: true

require "mysql2"
require "pg"
require "sqlite3"
require_relative "servers"

# A database of its own, with the record's table and one for effects; its connections are a driver's.
class TestDatabase
  NAMES = %w[postgres mysql sqlite].freeze

  def self.named(name)
    @all ||= {}
    @all[name] ||= {"postgres" => PostgresDatabase, "mysql" => MariaDatabase, "sqlite" => SQLiteDatabase}[name].new
  end

  def self.stop
    (@all || {}).each_value(&:stop)
  end

  # In a child process, for the tests' own connections.
  def self.disown
    @all.each_value(&:disown)
  end

  def initialize
    start
    @looking = connect
    execute(Twiceproof::Statements.new.text(dialect, "schema"))
    execute("CREATE TABLE effects (job VARCHAR(64), item VARCHAR(64))")
  end

  # Over a connection of the test's own.
  def execute(sql)
    Twiceproof::Driver.of(@looking).run(@looking, sql).rows
  end

  def disown
    Twiceproof::Driver.of(@looking).disown(@looking)
  end

  def effects(job, item)
    execute("SELECT COUNT(*) FROM effects WHERE job = '#{job}' AND item = '#{item}'")[0][0].to_i
  end

  def record(job, key, columns)
    execute("SELECT #{columns.join(", ")} FROM idempotency_records WHERE #{this(job, key)}").first
  end

  def change(job, key, to)
    execute("UPDATE idempotency_records SET #{to} WHERE #{this(job, key)}")
  end

  # SQL that puts a time back.
  def older(column, milliseconds)
    "#{column} = #{ago(column, milliseconds)}"
  end

  # SQL that leaves so much of the lease.
  def left(milliseconds)
    "claimed_at = #{ago(now, "(lease_ms - #{milliseconds})")}"
  end

  private

  def this(job, key)
    "job_type = '#{job}' AND operation_key = '#{key}'"
  end
end

class PostgresDatabase < TestDatabase # :nodoc:
  def dialect
    "postgres"
  end

  def start
    @server = Server.postgres
    @server.wait { connect("postgres") }
    connect("postgres").tap { |c| c.exec("CREATE DATABASE tests") }.close
  end

  def stop
    @server.stop
  end

  def address(database = "tests")
    {host: "127.0.0.1", port: @server.port, user: "postgres", dbname: database}
  end

  def connect(database = "tests")
    PG.connect(**address(database), connect_timeout: 5).tap { |c| c.set_notice_processor { nil } }
  end

  # Answers nothing meanwhile, though its kernel does.
  def stopped
    first = Integer(File.foreach("#{@server.dir}/data/postmaster.pid").first)
    all = [first, *`ps -o pid= --ppid #{first}`.split.map(&:to_i)]
    all.each { |pid| signal(:STOP, pid) }
    yield
  ensure
    all&.each { |pid| signal(:CONT, pid) }
  end

  def signal(name, pid)
    Process.kill(name, pid)
  rescue Errno::ESRCH
    nil # it has ended
  end

  def under_way?(sql)
    others = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
    execute("#{others} AND query LIKE '%#{sql.split("'")[1]}%'") == [["1"]]
  end

  def now
    "statement_timestamp()"
  end

  def ago(time, milliseconds)
    "#{time} - #{milliseconds} * interval '1 millisecond'"
  end
end

class MariaDatabase < TestDatabase # :nodoc:
  def dialect
    "mysql"
  end

  def start
    @server = Server.mariadb
    @server.wait { connect(nil) }
    connect(nil).tap { |c| c.query("CREATE DATABASE tests") }.close
  end

  def stop
    @server.stop
  end

  def address(database = "tests")
    {host: "127.0.0.1", port: @server.port, username: "root", database: database, encoding: "utf8mb4"}
  end

  def connect(database = "tests")
    Mysql2::Client.new(**address(database).compact, connect_timeout: 5, read_timeout: 30)
  end

  def under_way?(sql)
    sessions_of(sql).one?
  end

  # The server goes on with a statement whose client has gone, and keeps its transaction's locks for as long.
  def end_statement(sql)
    sessions_of(sql).each { |id| execute("KILL #{id}") }
  end

  def sessions_of(sql)
    others = "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID()"
    execute("#{others} AND info LIKE '%#{sql.split("'")[1]}%'").flatten
  end

  def now
    "UTC_TIMESTAMP(6)"
  end

  def ago(time, milliseconds)
    "#{time} - INTERVAL (1000 * #{milliseconds}) MICROSECOND"
  end
end

class SQLiteDatabase < TestDatabase # :nodoc:
  MEMORY = ["/dev/shm"].freeze # these tests cut no power, so they wait for no disk

  def dialect
    "sqlite"
  end

  def start
    @dir = Dir.mktmpdir("twiceproof-", *MEMORY.find { |folder| File.writable?(folder) })
    connect.tap { |c| c.execute("PRAGMA journal_mode = WAL") }.close
  end

  def stop
    FileUtils.rm_rf(@dir)
  end

  def path
    "#{@dir}/test.db"
  end

  def connect(*)
    SQLite3::Database.new(path).tap { |c| c.busy_timeout(100) }
  end

  def now
    "CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)"
  end

  def ago(time, milliseconds)
    "#{time} - #{milliseconds}"
  end
end

Minitest.after_run { TestDatabase.stop }
