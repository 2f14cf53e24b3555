# frozen_string_literal: true

# Who reads, while it is loaded, what each worker has with a value of its own? By whatever way.
module TwiceproofFork
  # In the place of ENV's own.
  module Reads
    NAMED = %i[[] fetch key? has_key? include? member? assoc delete].freeze
    SEVERAL = %i[values_at slice except].freeze
    NOTHING = %i[[]= store clear replace freeze rehash to_s].freeze # of what was there

    NAMED.each do |method|
      define_method(method) { |name, *rest, &block| super(TwiceproofFork.read(name), *rest, &block) }
    end
    SEVERAL.each do |method|
      define_method(method) { |*names| super(*names.each { |name| TwiceproofFork.read(name) }) }
    end
    %i[update merge!].each do |method| # what was there is told to a block
      define_method(method) { |*others, &block| (block && TwiceproofFork.read_all) || super(*others, &block) }
    end
    (ENV.singleton_methods(false) - instance_methods(false) - NOTHING).each do |method|
      define_method(method) { |*rest, &block| TwiceproofFork.read_all || super(*rest, &block) }
    end

    def self.end
      instance_methods(false).each { |method| remove_method(method) }
    end
  end

  # In the place of what the system answers each worker by itself. SecureRandom asks for one byte to see whether it may.
  module Asked
    def pid
      TwiceproofFork.meet("asks for the process id") || super
    end

    %i[urandom bytes rand].each do |method|
      define_method(method) { |*rest| (rest != [1] && TwiceproofFork.meet("draws a random number")) || super(*rest) }
    end

    def self.end
      instance_methods(false).each { |method| remove_method(method) }
    end
  end

  # In the place of what draws from the process's own generator.
  module Draws
    def rand(*rest)
      TwiceproofFork.meet("draws a random number") || super
    end

    %i[shuffle shuffle! sample].each do |method|
      define_method(method) do |*rest, **given|
        TwiceproofFork.meet("draws a random number") unless given.key?(:random)
        super(*rest, **given)
      end
    end

    def self.end
      instance_methods(false).each { |method| remove_method(method) }
    end
  end

  module_function

  def notice_reads(differ, addresses)
    @differ = differ
    @addresses = addresses
    @mapped = mapped
    ENV.singleton_class.prepend(Reads)
    [Process, Random].each { |asked| asked.singleton_class.prepend(Asked) }
    [Kernel, Kernel.singleton_class, Array].each { |drawing| drawing.prepend(Draws) }
  end

  def meet(what)
    @met ||= what
    nil
  end

  def read(name)
    meet("reads #{name}") if @differ.include?(name)
    name
  end

  def read_all
    meet("reads all variables")
  end

  # What C code may read: an address that is named in its file, or whatever one of these is asked for.
  def in_c
    any = %w[Fiddle FFI].find { |name| Object.const_defined?(name) }
    return "can read any variable, by #{any}" if any

    (mapped - @mapped).each do |file|
      @mapped << file
      named = File.binread(file).then { |text| @addresses.find { |name| text.include?(name.b) } }
      return "may read #{named}, which is named in #{File.basename(file)}" if named
    end
    nil
  end

  # Of the global variable nobody is told who reads it: so whoever does while it is loaded, and not in a method.
  def pid_in?(file)
    named = file.end_with?(".rb") && File.binread(file).match?(/\$(\$|PID|PROCESS_ID)/)
    named && defined?(RubyVM) && reads_pid?(RubyVM::InstructionSequence.compile_file(file).to_a)
  end

  def reads_pid?(compiled)
    compiled.last.any? do |instruction, *words|
      case instruction
      when :getglobal then %i[$$ $PID $PROCESS_ID].include?(words.first)
      when :defineclass then reads_pid?(words[1])
      end
    end
  end

  def mapped
    File.readlines("/proc/self/maps", chomp: true).map { |line| line.split(nil, 6).last.to_s }.uniq
        .select { |path| path.start_with?("/") && File.file?(path) }
  end
end
