# frozen_string_literal: true

require_relative "beside_active_record"
require_relative "errors"
require_relative "job_file"

# The gem.
module Twiceproof
  # Where guarded jobs get what is the same for all of them.
  class Configuration
    # job_file is a path. connect opens a connection that is the guard's own, as Guard.new takes it; without it, one
    # is opened to the database of active_record (ActiveRecord::Base). application gives the connection that own rows
    # are written in, and on which no transaction may be open when an outside effect is made; without it, it is
    # active_record's. log is a Logger.
    attr_accessor :job_file, :connect, :application, :log, :worker
    attr_writer :active_record

    def initialize
      @job_file = "twiceproof.yaml"
      @lock = Mutex.new
      @files = {}
      @own = {}
    end

    # The class whose connection is meant; nil without ActiveRecord.
    def active_record
      @active_record || (::ActiveRecord::Base if defined?(::ActiveRecord::Base))
    end

    def guard(type, look_up)
      file = @lock.synchronize { @files[job_file.to_s] ||= JobFile.load(job_file) }
      job = file.job(type)
      raise RefusedError, "job #{type}: its queue is #{job.queue}; write queue: sidekiq" unless job.queue == "sidekiq"

      Guard.new(own_connections, job, look_up: look_up, table: file.table, worker: worker, log: logger)
    end

    def logger
      log || (::Sidekiq.logger if defined?(::Sidekiq)) || Logger.new($stderr, level: Logger::WARN, progname: "twiceproof")
    end

    # The application's connection of this thread.
    def connection
      return application.call if application

      base = active_record or raise RefusedError, "no connection of the application is known; set application"
      base.respond_to?(:lease_connection) ? base.lease_connection : base.connection
    end

    # The same, if the application is using one now.
    def connection_in_use
      application ? application.call : active_record && leased
    end

    # Where the guard's own connections lead now: nil for always the same.
    def database
      BesideActiveRecord.config(active_record) if active_record && !connect
    rescue ::ActiveRecord::ConnectionNotEstablished
      nil # it is loaded, and has no database yet
    end

    # What an outside effect relies on may be in any of ActiveRecord's databases.
    def refuse_open_transaction
      open = BesideActiveRecord.open_database if active_record
      return unless open

      raise RefusedError, "a transaction is open on the application's connection to #{open}; commit it before an outside effect"
    end

    private

    # Not connected?, which is not yet true of a transaction that has sent nothing.
    def leased
      active_record.connection_pool.active_connection?
    rescue ::ActiveRecord::ConnectionNotEstablished
      nil # it is loaded, and has no database
    end

    # Those of all jobs together, so that a worker has no more of them than threads; of each database its own, since
    # two shards that shared one would take the claims of each other.
    def own_connections
      base = active_record
      raise RefusedError, "no database is known; set connect in Twiceproof.configure" unless connect || base

      config = database
      open = connect || -> { BesideActiveRecord.connect(config || BesideActiveRecord.config(base)) }
      @lock.synchronize { @own[config] ||= OwnConnections.new(open) }
    end
  end

  class << self
    def configuration
      @configuration ||= Configuration.new
    end

    # Before Sidekiq starts, such as in an initializer.
    def configure
      yield configuration
      SidekiqMiddleware.install
    end

    # Raises for a job that is loaded and not sound. Sidekiq's server asks when it starts, before it takes a message.
    def check
      JobSettings.all.each(&:guard)
    end
  end
end
