# frozen_string_literal: true

# A worker that prints what it is, as seen from inside.
require "json"
require "net/http"
require "securerandom"

def opened
  Dir.children("/proc/self/fd").sort.to_h do |n|
    [n, File.readlink("/proc/self/fd/#{n}")]
  rescue Errno::ENOENT
    [n, nil]
  end
end

status = File.readlines("/proc/self/status").to_h { |line| line.chomp.split(":\t", 2) }
death = [0].pack("i")
syscall(157, 2, [death].pack("p").unpack1("J")) if RUBY_PLATFORM.start_with?("x86_64")
shown = {
  environ: ENV.to_h.sort, child: `env | sort`, argv: ARGV, name: [$PROGRAM_NAME, __FILE__],
  path: $LOAD_PATH, gems: Gem.loaded_specs.keys,
  hook: [Object.const_defined?(:TwiceproofFork), ENV.methods(false).size, Kernel.private_method_defined?(:asked)],
  folder: Dir.pwd, open: opened, umask: File.umask, nice: Process.getpriority(Process::PRIO_PROCESS, 0),
  signals: status.values_at("SigBlk", "SigIgn", "SigCgt"), group: Process.getpgrp == Process.pid,
  session: Process.getsid, parent: Process.ppid,
  death: death.unpack1("i"), limits: %i[NOFILE CORE CPU].map { |n| Process.getrlimit(n) },
  threads: [status["Threads"], Thread.list.size],
  streams: [$stdin, $stdout, $stderr].map { |io| [io.inspect, io.class, io.sync, io.tty?, io.external_encoding] },
  verbose: $VERBOSE
}
puts JSON.pretty_generate(shown)
exit(ARGV.first[-1].to_i)
