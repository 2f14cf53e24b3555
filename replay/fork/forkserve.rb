# frozen_string_literal: true

# The server that workers are forked from. It has loaded what is installed, and nothing of the user's own.
module TwiceproofFork
  PR_SET_PDEATHSIG = 1

  module_function

  # Returns in each worker, and never in the server.
  def serve
    @requests, @answers = [8, 9].map { |number| IO.for_fd(number) }
    began = start("server")
    unfit = load_all
    changed(began)
    answer(unfit ? "unfit\t#{unfit}" : "ready")
    forks
  rescue Exception => e # rubocop:disable Lint/RescueException
    answer("#{e.class}: #{e.message}")
    exit!(0)
  end

  def forks
    while (size = @requests.gets)
      request = @requests.read(size.to_i)
      return become(*request.split("\0", -1)) if forked?
    end
    exit!(0)
  end

  def answer(line)
    @answers.syswrite("#{line.tr("\n", " ")}\n")
  end

  # Loads what was learnt, up to what would not be the same in a worker that was forked, and tells that.
  def load_all
    notice_reads(*%w[differ addresses].map { |name| lines(name) })
    unfit(lines("load"))
  ensure
    own_gems
    [Reads, Asked, Draws].each(&:end)
  end

  def lines(name)
    File.readlines("#{FOLDER}/#{name}", chomp: true)
  end

  def unfit(lines)
    lines.each do |line|
      name, file, path = line.split("\t")
      bundlers(path.split("\x1f")) if path
      before = state
      why = loaded(name, file)
      why = @met || why || kept(before, state) || in_c
      return "#{name}\t#{why}" if why
    end
    nil
  end

  # From here on Bundler had set the load path of the first worker, and switched RubyGems' require off. Each worker
  # does so by itself.
  def bundlers(path)
    @path ||= $LOAD_PATH.dup
    @gems ||= Kernel.instance_method(:require)
    $LOAD_PATH.replace(path.reject { |folder| own?("#{folder}/") })
    Kernel.alias_method(:require, :gem_original_require)
  end

  def own_gems
    return unless @path

    $LOAD_PATH.replace(@path)
    Kernel.define_method(:require, @gems)
    Kernel.send(:private, :require)
  end

  def loaded(name, path)
    before = $LOADED_FEATURES.size
    require name
    loaded = $LOADED_FEATURES.drop(before)
    own = loaded.find { |feature| own?(feature) }
    return "loads #{own}, which is not installed" if own
    return "asks for the process id" if loaded.any? { |feature| pid_in?(feature) }

    "is found elsewhere" unless $LOADED_FEATURES.include?(path)
  rescue Exception => e # rubocop:disable Lint/RescueException
    "raises #{e.class}"
  end

  # What a worker would have in common with others, or not have at all.
  def state
    status = File.read("/proc/self/status").scan(/^(Threads|Umask):\s*(\w+)/).to_h
    files = Dir.children("/proc/self/fd").to_h { |n| [n, linked(n)] }.reject { |_, path| path.start_with?("/") }
    {"starts a thread" => status["Threads"], "changes the umask" => status["Umask"], "changes the folder" => Dir.pwd,
     "keeps something open" => files, "changes the load path" => @path && $LOAD_PATH.dup, # RubyGems may, as in a worker
     "starts another process" => children}
  end

  # The page faults of those that were waited for, and those that are there.
  def children
    faults = File.read("/proc/self/stat").rpartition(")").last.split[8]
    [faults, *Dir["/proc/self/task/*/children"].map { |list| File.read(list) }]
  rescue Errno::ENOENT # a thread has ended since they were listed
    retry
  end

  def linked(number)
    File.readlink("/proc/self/fd/#{number}")
  rescue Errno::ENOENT # that by which they were listed
    "/"
  end

  def kept(before, now)
    before.find { |why, was| now[why] != was }&.first
  end

  # Writes down the variables that have changed since this process was started.
  def changed(began)
    before = began.split("\0").to_h { |v| v.split("=", 2) }
    hide(before)
    now = ENV.to_h.transform_values(&:b)
    set = now.reject { |name, value| before[name] == value }.map { |name, value| "#{name.b}=#{value}" }
    File.binwrite("#{FOLDER}/server.changed", (set + (before.keys - now.keys.map(&:b))).join("\0"))
  end

  # Whether this is the worker. The process between is gone when it goes on: it is the replay's child then.
  def forked?
    gate, held = IO.pipe
    between = fork
    if between
      [-> { gate.close }, -> { Process.wait(between) }, -> { held.close }].each(&:call)
      return false
    end
    held.close
    exit!(0) if fork
    gate.read # nobody writes: it returns when the server has closed its end
    gate.close
    true
  end

  # Makes this process what it would be, had the replay started it.
  def become(output, replay, port, prctl, dup3, *environ)
    ask_system(prctl, PR_SET_PDEATHSIG, Signal.list["KILL"], 0)
    exit!(0) if Process.ppid != replay.to_i # it was killed meanwhile
    Process.setpgid(0, 0)
    pipe = IO.sysopen(output, File::WRONLY)
    [1, 2].each { |number| ask_system(dup3, pipe, number, 0) } # reopen would change the objects, too
    IO.for_fd(pipe).close
    ENV.replace(environ.to_h { |v| v.split("=", 2) })
    ARGV.map! { |word| word.include?("{port}") ? word.gsub("{port}", port) : word }
    answer(Process.pid.to_s)
    [@requests, @answers].each(&:close)
  end

  # Ruby has no other way to these calls, whose numbers are the machine's.
  def ask_system(number, *words)
    verbose = $VERBOSE
    $VERBOSE = nil # it would warn
    syscall(number.to_i, *words)
  ensure
    $VERBOSE = verbose
  end
end

load "#{__dir__}/forkreads.rb"
TwiceproofFork.serve
Object.send(:remove_const, :TwiceproofFork)
