# frozen_string_literal: true

require_relative "errors"

module Twiceproof
  # A driver's connection to a database of ActiveRecord's, beside its pool: a claim is committed at once, whatever
  # transaction the application has open. It never waits without end for a dead network.
  module BesideActiveRecord
    KEEP_ALIVE = {connect_timeout: 5, tcp_user_timeout: 5000, keepalives_idle: 5, keepalives_interval: 2,
                  keepalives_count: 3}.freeze
    LIMITS = {connect_timeout: 5, read_timeout: 5, write_timeout: 5, encoding: "utf8mb4"}.freeze

    module_function

    # Where the class writes now: within connected_to that is another database for each shard.
    def config(base)
      role = ::ActiveRecord.respond_to?(:writing_role) ? ::ActiveRecord.writing_role : ::ActiveRecord::Base.writing_role
      handler = handlers_by_role[role] || base.connection_handler
      name = base.connection_specification_name
      pool = handler.retrieve_connection_pool(name, role: role, shard: base.current_shard) || base.connection_pool
      pool.db_config.configuration_hash
    end

    # The name of a database in which this thread has a transaction open.
    def open_database
      handlers = [*handlers_by_role.values, ::ActiveRecord::Base.connection_handler].uniq
      open = handlers.flat_map { |handler| pools(handler) }.find { |pool| in_transaction?(pool.active_connection?) }
      open&.db_config&.database
    end

    # As it was before ActiveRecord 7.1, unless an application has switched it off.
    def handlers_by_role
      base = ::ActiveRecord::Base
      switch = [::ActiveRecord, base].find { |owner| owner.respond_to?(:legacy_connection_handling) }
      switch&.legacy_connection_handling ? base.connection_handlers : {}
    end

    def in_transaction?(connection)
      connection.respond_to?(:transaction_open?) && connection.transaction_open?
    end

    def pools(handler)
      handler.respond_to?(:all_connection_pools) ? handler.all_connection_pools : handler.connection_pool_list(:all)
    end

    def connect(config)
      config = config.compact
      case config[:adapter]
      when "postgresql", "postgis" then postgres(config)
      when "mysql2" then mysql(config)
      when "sqlite3" then sqlite(config)
      else raise RefusedError, "adapter #{config[:adapter]} is not known; set connect in Twiceproof.configure"
      end
    end

    def postgres(config)
      require "pg"
      named = {user: config[:username], dbname: config[:database]}.compact
      known = PG::Connection.conndefaults_hash.keys
      connection = PG.connect(**KEEP_ALIVE.slice(*known), **config.merge(named).slice(*known))
      path = config[:schema_search_path]
      connection.exec("SET search_path TO #{path}") if path
      limit(connection, config[:variables] || {})
      connection
    end

    # Unless the application has one, so that what waits for a locked table ends at the server too. Not behind a
    # pooler, which would hand the setting on to the application's own statements: its process is not ours.
    def limit(connection, variables)
      return if variables.transform_keys(&:to_s).key?("statement_timeout")

      process = connection.exec("SELECT pg_backend_pid()").getvalue(0, 0).to_i
      connection.exec("SET statement_timeout TO '5s'") if process == connection.backend_pid
    end

    def mysql(config)
      require "mysql2"
      Mysql2::Client.new(LIMITS.merge(config.except(:adapter, :flags, :pool, :variables), reconnect: false))
    end

    def sqlite(config)
      raise RefusedError, "a database in memory is another one for each connection" if config[:database] == ":memory:"

      require "sqlite3"
      root = defined?(::Rails.root) && ::Rails.root ? ::Rails.root.to_s : Dir.pwd
      database = SQLite3::Database.new(File.expand_path(config[:database], root))
      database.busy_timeout((config[:timeout] || 5000).to_i)
      database
    end
  end
end
