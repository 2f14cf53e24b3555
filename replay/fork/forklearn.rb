# frozen_string_literal: true

# The first worker of a version: which of what is installed does it load, and in which order?
module TwiceproofFork
  LOADING = :twiceproof_loading
  # Ruby's own, without RubyGems': it is what require_relative does.
  RUBYS = Kernel.instance_method(Kernel.private_method_defined?(:gem_original_require) ? :gem_original_require : :require)

  module_function

  def learn
    start("learner")
    write("process\t#{Process.pid}")
    $LOADED_FEATURES.each { |path| write("own\t#{path}") if own?(path) }
    Kernel.prepend(Asked)
  end

  # RubyGems and Bundler change what is behind it.
  module Asked
    private

    def require(name)
      TwiceproofFork.asked(name.to_s) { super(name) }
    end

    def require_relative(name)
      path = File.expand_path(name, File.dirname(caller_locations(1, 1).first.absolute_path))
      TwiceproofFork.asked(path) { RUBYS.bind(self).call(path) }
    end
  end

  # Writes down what is not asked for by an installed file that is being loaded itself.
  def asked(name, &load)
    own = own?(resolve(name)) || name.match?(%r{\Abundler(/|\z)})
    nested = Thread.current.thread_variable_get(LOADING)
    return outermost(name, &load) unless own || nested

    yield.tap { |loaded| write("own\t#{name}") if loaded && own && nested }
  end

  def outermost(name)
    Thread.current.thread_variable_set(LOADING, true)
    yield.tap do |loaded|
      path = resolve(name)
      write("load\t#{name}\t#{path}\t#{changed_path}") if loaded && preloadable?(path)
    end
  ensure
    Thread.current.thread_variable_set(LOADING, nil)
  end

  # RubyGems loads itself in its own order.
  def preloadable?(path)
    path.include?("/") && !own?(path) && !path.include?("/rubygems/")
  end

  # The load path as Bundler has made it, where it is another one than the last time.
  def changed_path
    return if @path == $LOAD_PATH || $LOADED_FEATURES.none? { |path| path.end_with?("/lib/bundler/setup.rb") }

    @path = $LOAD_PATH.dup
    @path.join("\x1f")
  end

  # Nothing stays open: a worker may close whatever it finds, and open something else.
  def write(line)
    File.open("#{FOLDER}/learnt", "ab") { |file| file.syswrite("#{line}\n") }
  end
end

TwiceproofFork.learn
