# frozen_string_literal: true

require "active_record"

# ActiveRecord calls its driver mysql2.
ActiveRecord::Base.establish_connection(ENV.fetch("DATABASE_URL").sub(/\Amysql:/, "mysql2:"))

class Charge < ActiveRecord::Base
end
