# frozen_string_literal: true

require "active_record"
require "sequel"
require_relative "databases"

# An application's own connection, as it has it: a driver's, ActiveRecord's or Sequel's. insert makes the effect
# in the way that is usual there.
class Application
  attr_reader :database, :connection

  def self.names
    %w[bare active_record sequel].product(TestDatabase::NAMES).map { |kind, name| "#{kind} #{name}" }
  end

  def self.named(name)
    kind, database = name.split
    {"bare" => self, "active_record" => RailsApplication, "sequel" => SequelApplication}[kind]
      .new(TestDatabase.named(database))
  end

  def initialize(database)
    @database = database
    connect
  end

  def connect
    @connection = database.connect
  end

  def insert(job, item)
    driver.run(raw, "INSERT INTO effects (job, item) VALUES ('#{job}', '#{item}')")
  end

  # What somebody does who has no guard.
  def unguarded(&block)
    driver.begin(raw)
    block.call
    driver.commit(raw)
  end

  # Also when it was closed, which ends a transaction too.
  def in_transaction?
    driver.in_transaction?(raw)
  rescue StandardError
    false
  end

  def raw
    connection
  end

  def driver
    Twiceproof::Driver.of(raw)
  end

  def close
    connection.close
  rescue StandardError
    nil # it was closed already
  end
end

class Effect < ActiveRecord::Base; end

class RailsApplication < Application # :nodoc:
  ADAPTERS = {"postgres" => "postgresql", "mysql" => "mysql2", "sqlite" => "sqlite3"}.freeze

  def connect
    address = database.respond_to?(:address) ? database.address : file
    address = address.merge(database: address[:dbname]).except(:dbname, :user).merge(username: "postgres") if address[:user]
    ActiveRecord::Base.establish_connection(adapter: ADAPTERS[database.dialect], checkout_timeout: 1, **address)
  end

  # Newer versions set another mode than the file has.
  def file
    {database: database.path, timeout: 100, pragmas: {journal_mode: database.execute("PRAGMA journal_mode")[0][0]}}
  end

  # Each thread has its own.
  def connection
    @last = ActiveRecord::Base.connection
  end

  def insert(job, item)
    Effect.create!(job: job, item: item)
  end

  def unguarded(&block)
    connection.transaction(&block)
  end

  def raw
    (@last || connection).raw_connection
  end

  def close
    ActiveRecord::Base.remove_connection
  end
end

class SequelApplication < Application # :nodoc:
  def connect
    adapter = {"postgres" => "postgres", "mysql" => "mysql2", "sqlite" => "sqlite"}[database.dialect]
    address = database.respond_to?(:address) ? database.address : {database: database.path, timeout: 100}
    address = address.merge(database: address[:dbname]).except(:dbname) if address[:dbname]
    address = address.merge(user: address[:username]).except(:username) if address[:username]
    @connection = Sequel.connect(adapter: adapter, max_connections: 1, **address)
  end

  def insert(job, item)
    connection.transaction { connection[:effects].insert(job: job, item: item) }
  end

  def unguarded(&block)
    connection.transaction(&block)
  end

  def raw
    connection.synchronize { |found| found }
  end

  def close
    connection.disconnect
  end
end
