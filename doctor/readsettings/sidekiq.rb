# frozen_string_literal: true

# Prints what twiceproof doctor judges of Sidekiq's workers to the file descriptor 3: a
# fixed list of settings, none of which holds a secret. Arguments: the file to require,
# and the names of worker classes.

require "json"

# A module, since what is defined outside of one is a method of everything.
module TwiceproofDoctor
  module_function

  DEAD_AFTER = 180 * 24 * 60 * 60

  def option(name)
    return Sidekiq.default_configuration[name] if Sidekiq.respond_to?(:default_configuration) # Sidekiq 7

    Sidekiq.options[name]
  end

  # Sidekiq 6.4 keeps an instance of the class, or none for the basic one; later ones the class.
  def fetch
    chosen = option(:fetch) || option(:fetch_class) || "Sidekiq::BasicFetch"
    chosen.is_a?(Class) || chosen.is_a?(String) ? chosen.to_s : chosen.class.to_s
  end

  def times(retries)
    case retries
    when true, nil then option(:max_retries) || 25
    when false then 0
    else retries.to_i
    end
  end

  def dead_after
    (option(:dead_timeout_in_seconds) || DEAD_AFTER).to_f
  end

  def worker(name)
    klass = Object.const_get(name)
    return unless klass.respond_to?(:get_sidekiq_options)

    set = klass.get_sidekiq_options.transform_keys(&:to_s)
    unique = %w[unique_for lock unique].find { |key| set[key] }
    {retry: times(set["retry"]), queue: (set["queue"] || "default").to_s, dead: set["dead"] != false, unique: unique.to_s}
  rescue NameError
    nil
  end

  def read(file, names)
    require "sidekiq"
    require "sidekiq/cli" # now Sidekiq.server? is true, and what a server is told counts
    require File.expand_path(file)
    {
      version: Sidekiq::VERSION, fetch: fetch, dead_timeout_in_seconds: dead_after,
      workers: names.to_h { |name| [name, worker(name)] }.compact
    }
  end
end

out = IO.new(3, "w")
answer =
  begin
    TwiceproofDoctor.read(ARGV[0], ARGV[1..])
  rescue Exception => e # rubocop:disable Lint/RescueException -- its text may hold a secret
    {error: e.class.to_s, missing: (e.path if e.is_a?(LoadError))}
  end
out.write(JSON.generate(answer))
out.flush
exit!(0) # whatever the application has started meanwhile
