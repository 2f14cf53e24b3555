# frozen_string_literal: true

# Loaded by Ruby before the main program, as RUBYOPT names it; workers.go tells what for.
module TwiceproofFork
  HERE = __dir__
  MODE, FOLDER = ENV.fetch("TWICEPROOF_FORK").split(":", 2)

  module_function

  # Whatever is not installed is the user's own. What is built in has no path. Bundler is
  # loaded by each worker, too: it keeps the environment that it finds.
  def own?(path)
    return true if path.match?(%r{/lib/bundler(/|\.rb$)})

    path.include?("/") && !path.start_with?("#{HERE}/", *installed)
  end

  def installed
    gems = defined?(Gem) ? Gem.path : []
    [*RbConfig::CONFIG.values_at("rubylibprefix", "rubyarchprefix", "sitedir", "vendordir"), *gems].map { |folder| "#{folder}/" }
  end

  def resolve(name)
    ($LOAD_PATH.resolve_feature_path(name) || []).last.to_s
  rescue LoadError
    ""
  end

  # Takes the hook off an environment.
  def hide(environ)
    [["PYTHONPATH", HERE, ":"], ["RUBYOPT", "-r#{HERE}/fork.rb", " "]].each do |name, part, between|
      rest = environ[name].to_s.sub(part, "").delete_prefix(between).delete_suffix(between)
      rest.empty? ? environ.delete(name) : environ[name] = rest
    end
    environ.delete("TWICEPROOF_FORK")
  end

  # Writes down with what environment and words this process was started.
  def start(who)
    %w[cmdline environ].map do |what|
      File.binread("/proc/self/#{what}").tap { |text| File.binwrite("#{FOLDER}/#{who}.#{what}", text) }
    end.last
  end
end

TwiceproofFork.hide(ENV)
load "#{__dir__}/fork#{TwiceproofFork::MODE}.rb" # no feature: the list of those is the worker's
