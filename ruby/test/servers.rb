# frozen_string_literal: true

require "etc"
require "fileutils"
require "socket"
require "tmpdir"

# A throw-away server on loopback. It ends with this process, also when that is killed.
class Server
  # Starts the server and waits until nobody holds the other end of its standard input any more, which the kernel
  # closes when the tests end, however they end.
  WATCHDOG = <<~SH
    trap '' HUP INT TERM
    dir=$1; signal=$2; shift 2
    "$@" </dev/null >"$dir/log" 2>&1 &
    read -r _
    kill -$signal $!
    tries=400; while [ $tries -gt 0 ] && kill -0 $! 2>/dev/null; do sleep 0.02; tries=$((tries - 1)); done
    kill -KILL $! 2>/dev/null
    cd /; rm -rf "$dir" 2>/dev/null
  SH
  FOLDERS = ["/usr/lib/postgresql/*/bin", "/usr/sbin", "/usr/bin", "/opt/homebrew/opt/{postgresql,mariadb}*/bin"].freeze

  attr_reader :port, :dir

  def self.program(name)
    folders = ENV.fetch("PATH", "").split(File::PATH_SEPARATOR) + FOLDERS.flat_map { |pattern| Dir[pattern].sort }
    found = folders.map { |folder| File.join(folder, name) }.find { |path| File.executable?(path) }
    found || raise("#{name} is not installed; `make servers` says how")
  end

  def self.postgres
    new("postgres").tap do |s|
      s.run(program("initdb"), "--pgdata=#{s.dir}/data", "--username=postgres", "--auth=trust", "--encoding=UTF8",
            "--locale=C", "--no-sync")
      settings = ["port=#{s.port}", "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off",
                  "shared_buffers=32MB", "dynamic_shared_memory_type=mmap"]
      s.start(program("postgres"), "-D", "#{s.dir}/data", *settings.flat_map { |setting| ["-c", setting] })
    end
  end

  def self.mariadb
    new("mysql").tap do |s|
      common = ["--datadir=#{s.dir}/data", "--tmpdir=#{s.dir}", "--character-set-server=utf8mb4", "--skip-name-resolve",
                "--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0"]
      s.run(program("mariadb-install-db"), "--no-defaults", "--auth-root-authentication-method=normal",
            "--skip-test-db", *common)
      s.start(program("mariadbd"), "--no-defaults", "--bind-address=127.0.0.1", "--port=#{s.port}", "--socket=",
              "--innodb-fast-shutdown=2", "--pid-file=#{s.dir}/pid", *common)
    end
  end

  def self.redis(port = nil)
    new("redis", port).tap do |s|
      settings = ["--port", s.port.to_s, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
      s.start(program("redis-server"), *settings, signal: "TERM") # it ignores QUIT
    end
  end

  # Before a PostgreSQL server, whose connections it lends for a transaction or a statement.
  def self.pgbouncer(port, mode, size)
    new("postgres").tap do |s|
      settings = {listen_addr: "127.0.0.1", listen_port: s.port, unix_socket_dir: "", auth_type: "any", pool_mode: mode,
                  default_pool_size: size, max_client_conn: 100}
      File.write("#{s.dir}/ini", <<~INI)
        [databases]
        tests = host=127.0.0.1 port=#{port} user=postgres
        [pgbouncer]
        #{settings.map { |name, value| "#{name} = #{value}" }.join("\n")}
      INI
      File.chmod(0o644, "#{s.dir}/ini")
      s.start(program("pgbouncer"), "#{s.dir}/ini", signal: "TERM")
    end
  end

  def initialize(account, port = nil)
    @dir = Dir.mktmpdir("twiceproof-")
    if Process.uid.zero? # the servers refuse to run as root
      @account = Etc.passwd { |found| break found if found.name == account } || Etc.getpwnam("nobody")
      FileUtils.chown(@account.uid, @account.gid, @dir)
    end
    @port = port || free_port
  end

  def run(*command)
    log = "#{dir}/install.log"
    pid = as_account { exec(*command, in: File::NULL, out: log, err: %i[child out]) }
    Process.wait(pid)
    raise "#{command.first}: #{File.read(log)}" unless $?.success? # rubocop:disable Style/SpecialGlobalVars
  end

  def start(*command, signal: "QUIT")
    reader, @writer = IO.pipe
    @watchdog = as_account do
      Process.setsid
      exec("/bin/sh", "-c", WATCHDOG, "watchdog", dir, signal, *command, in: reader, close_others: true)
    end
    reader.close
  end

  # Until it answers.
  def wait
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60
    begin
      yield.close
    rescue StandardError
      raise if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline

      sleep 0.05
      retry
    end
  end

  def stop
    @writer.close
    Process.wait(@watchdog)
    FileUtils.rm_rf(dir) # its account may not write where the folder is
  end

  private

  # Below those that the kernel gives to outgoing connections, one of which could take it before the server does.
  def free_port
    TCPServer.open("127.0.0.1", rand(15_000..32_000)) { |s| s.addr[1] }
  rescue Errno::EADDRINUSE
    retry
  end

  def as_account
    fork do
      if @account
        Process::GID.change_privilege(@account.gid)
        Process::UID.change_privilege(@account.uid)
      end
      Dir.chdir(dir)
      yield
    end
  end
end
