# frozen_string_literal: true

require_relative "errors"

module Twiceproof
  # A driver's connection to the database of an ActiveRecord class, beside its pool: a claim is committed at once,
  # whatever transaction the application has open. It never waits without end for a dead network.
  module BesideActiveRecord
    KEEP_ALIVE = {connect_timeout: 5, tcp_user_timeout: 5000, keepalives_idle: 5, keepalives_interval: 2,
                  keepalives_count: 3}.freeze
    LIMITS = {connect_timeout: 5, read_timeout: 5, write_timeout: 5, encoding: "utf8mb4"}.freeze

    module_function

    def connect(base)
      config = base.connection_db_config.configuration_hash.compact
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
      connection
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
