# frozen_string_literal: true

require "uri"

# The guard's own connections: each gives up after some seconds.
module Database
  module_function

  def connect
    address = ENV.fetch("DATABASE_URL")
    address.start_with?("mysql:") ? mysql(URI(address)) : postgres(address)
  end

  def postgres(address)
    require "pg"
    PG.connect(address, connect_timeout: 5, tcp_user_timeout: 5000, options: "-c statement_timeout=5s")
  end

  def mysql(address)
    require "mysql2"
    limits = {connect_timeout: 5, read_timeout: 5, write_timeout: 5}
    Mysql2::Client.new(host: address.host, port: address.port, username: address.user, password: address.password,
                       database: address.path.delete_prefix("/"), **limits)
  end
end
