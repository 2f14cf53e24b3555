# frozen_string_literal: true

require_relative "databases"
require_relative "faults"

# A scenario of vectors/, which the guards of every language run.
Scenario = Struct.new(:name, :lines) do
  def self.all
    Dir[File.join(ROOT, "vectors", "*.txt")].sort.flat_map { |file| in_file(file) }
  end

  def self.in_file(file)
    found = []
    File.readlines(file, chomp: true, encoding: "UTF-8").reject { |l| l.empty? || l.start_with?("#") }.each do |line|
      line.start_with?("scenario ") ? found << new("#{File.basename(file, ".txt")}: #{line[9..]}", []) : found.last.lines << line
    end
    found
  end

  # Sweeps and persons are of the command, not of a guard.
  def for_guards?
    lines.none? { |line| %w[sweep resolve queue].include?(line.split.first) }
  end

  def for?(database)
    only = lines.find { |line| line.start_with?("only ") }
    only.nil? || only.split.include?(database)
  end
end

# What ends a process or a thread.
class Panic < Exception; end # rubocop:disable Lint/InheritException

# The scenario is over, and a worker still waits.
class Left < Exception; end # rubocop:disable Lint/InheritException

# One worker at its delivery, in a thread of its own, so that it can be stopped anywhere.
class Worker
  attr_reader :words, :paused

  def self.current
    Thread.current[:worker]
  end

  def initialize(words, &run)
    @words = words
    @run = run
    @said = Queue.new
    @told = Queue.new
  end

  def start
    @thread = Thread.new { main }
    hear
  end

  # nil: the scenario is over.
  def wake(words)
    @told << words
    hear
  end

  def pause
    @said << :paused
    told = @told.pop
    raise Left unless told

    @words.concat(told)
  end

  def dead?
    @thread.join(60) && true
  end

  private

  def main
    Thread.current[:worker] = self
    said = :raised # also when the thread is killed
    said = @run.call
  rescue Twiceproof::Error, Minitest::Assertion => e
    said = e
  rescue Panic, Left
    said = :raised
  rescue StandardError => e
    said = RuntimeError.new("#{e.class}: #{e.message}\n#{e.backtrace.first(12).join("\n")}")
  ensure
    @said << said
  end

  def hear
    said = @said.pop
    @paused = said == :paused
    said
  end
end

# One scenario's own: its job, its workers, its outside service. Its records have a job type of their own.
class World
  include Minitest::Assertions

  TIMES = %w[claimed_at first_claimed_at requeued_at last_repeat_at].freeze
  JOB_WORDS = %w[effect policy lease settle max_takeovers max_lookups reference_window fingerprint store_message].freeze
  NO_WORDS = %w[order amount message_bytes].freeze
  COLUMNS = %w[state acts given_up vanished lookups policy requeues claimed_by lease_ms fingerprint fingerprint_fields
               message result completed_at completion held_at hold_reason late_finish_at].freeze

  attr_accessor :assertions

  def initialize(database, job_type)
    @database = database
    @job_type = job_type
    @assertions = 0
    @faults = Faults.new(database.dialect) { Worker.current.pause }
    @workers = {}
    @effects = Hash.new(0)
    @references = {}
    @look_ups = 0
    @service = "truth"
  end

  def play(scenario)
    scenario.lines.each do |line|
      step, want = line.split(" -> ", 2)
      verb, *words = step.split
      got = send("do_#{verb}", words)
      Expectation.new(got, want.split).check if want
      assert(@faults.strikes.all?(&:fired), "a fault did not strike") if %w[deliver wake].include?(verb)
    rescue Minitest::Assertion => e
      raise Minitest::Assertion, "#{line}: #{e.message}"
    end
  end

  def close
    @workers.each_value { |worker| worker.wake(nil) while worker.paused }
    @workers.each_value(&:dead?)
  end

  private

  def pairs(words)
    words.select { |w| w.include?("=") }.to_h { |w| w.split("=", 2) }
  end

  def order(words)
    pairs(words).fetch("order", "1")
  end

  def do_only(_words); end

  def do_job(words)
    given = pairs(words)
    assert_empty given.keys - JOB_WORDS
    @job = Twiceproof::JobDefinition.new(
      type: @job_type, queue: "sqs", longest_run: Rational(1, 2), lease: seconds(given.fetch("lease", "60s")),
      operation: Twiceproof::JobDefinition::Operation.new(key: [Twiceproof::Path.parse("body.order")],
                                                          fingerprint: prints(given)),
      effect: Twiceproof::JobDefinition::Effect.new(kind: given.fetch("effect", "outside")), stale_claim: stale_claim(given),
      store_message: given["store_message"] != "off"
    )
  end

  def prints(given)
    given["fingerprint"] == "none" ? [] : [Twiceproof::Path.parse("body.amount")]
  end

  def stale_claim(given)
    times = given.slice("settle", "reference_window").transform_values { |text| seconds(text) }
    counts = given.slice("max_takeovers", "max_lookups").transform_values(&:to_i)
    Twiceproof::JobDefinition::StaleClaim.new(**given.slice("policy").merge(times, counts).transform_keys(&:to_sym))
  end

  def seconds(text)
    Twiceproof::Duration.parse(text)
  end

  def do_deliver(words)
    name, *rest = words
    worker = @workers[name] = Worker.new(rest.dup) { deliver(name, pairs(rest)) }
    worker.start
  end

  def do_wake(words)
    name, *rest = words
    @workers.fetch(name).wake(rest)
  end

  def deliver(name, given)
    guard = Twiceproof::Guard.new(-> { @faults.strike(@database.connect) }, @job, worker: name, log: Logger.new(nil),
                                                                                  look_up: method(:look_up))
    delivery = delivery_of(given)
    return guard.run(delivery) { |op| outside(op) } if @job.effect.kind == "outside"

    connection = @faults.strike(@database.connect)
    guard.run_tx(connection, delivery) { |op| own_row(connection, op) }
  ensure
    guard.close
    close_connection(connection)
  end

  def close_connection(connection)
    connection&.close
  rescue StandardError
    nil # it was cut
  end

  def delivery_of(given)
    order = given.fetch("order", "1")
    order = nil if order == "null"
    message = "m" * given.fetch("message_bytes", 20).to_i
    fields = {"body" => {"order" => order, "amount" => given.fetch("amount", "12").to_i}}
    Twiceproof::Delivery.new(fields: fields, message: message)
  end

  def outside(op)
    body(op, {}) { call(op) }
  end

  # The outside service: it counts, and sees one reference for an operation.
  def call(op)
    assert_equal @references[op.key] ||= op.reference, op.reference
    @effects[op.key] += 1
  end

  def own_row(connection, op)
    driver = Twiceproof::Driver.of(connection)
    does = {
      "commits" => -> { driver.commit(connection) }, "rolls_back" => -> { driver.rollback(connection) },
      "begins" => -> { driver.begin(connection) },
      "swallows" => -> { raised(StandardError) { driver.run(connection, "SELECT * FROM a_table_that_is_not_there") } }
    }
    body(op, does) { driver.run(connection, "INSERT INTO effects (job, item) VALUES ('#{@job_type}', '#{op.key}')") }
  end

  def raised(error)
    yield
  rescue error
    nil
  else
    flunk "it did not raise"
  end

  def body(op, more, &act)
    does = {
      "acts" => -> { op.check || act.call }, "pauses" => -> { Worker.current.pause }, "fails" => -> { raise "time-out" },
      "panics" => -> { raise Panic }, "refuses" => -> { raise Twiceproof::NotApplied, "refused" },
      "leaves" => -> { Thread.current.kill }, "renews" => -> { op.renew },
      "renew_refused" => -> { raised(Twiceproof::Error) { op.renew } }, **more
    }
    say(op, does, Worker.current.words.shift) until Worker.current.words.empty?
  end

  def say(op, does, word)
    name, value = word.split("=", 2)
    return does[name].call if does.key?(name)
    return op.result = value if name == "result"
    return op.result = "r" * value.to_i if name == "result_bytes"

    assert_includes NO_WORDS, name
  end

  def look_up(op)
    @look_ups += 1
    case @service
    when "pauses" then Worker.current.pause
    when "error" then raise "no answer"
    when "panics" then raise Panic
    end
    @service == "found" || (@service != "absent" && @effects[op.key].positive?)
  end

  def do_service(words)
    @service = words.first
  end

  def do_look_ups(_words)
    @look_ups
  end

  def do_effects(words)
    @effects[order(words)] + @database.effects(@job_type, order(words))
  end

  def do_record(words)
    row = @database.record(@job_type, order(words), COLUMNS)
    row ? COLUMNS.zip(row).to_h : :none
  end

  def do_age(words)
    by = Twiceproof::Duration.ms(seconds(words.first))
    @database.change(@job_type, order(words), TIMES.map { |column| @database.older(column, by) }.join(", "))
  end

  def do_left(words)
    @database.change(@job_type, order(words), @database.left(Twiceproof::Duration.ms(seconds(words.first))))
  end

  def do_lose(words)
    strike(words[0], words[1], words)
  end

  def do_refuse(words)
    strike(words[0], "refuse", words)
  end

  def do_pause(words)
    strike(words[0], "pause", words)
  end

  def strike(verb, kind, words)
    @faults.strikes << Faults::Strike.new(verb, kind, pairs(words).fetch("nth", 1).to_i, false)
  end
end

# What a line expects. What it does not name is as it usually is: not acknowledged, no repeat.
class Expectation
  include Minitest::Assertions

  KNOWN = %w[completion value value_bytes retry_after].freeze

  attr_accessor :assertions

  def initialize(got, want)
    @got = got
    @want = want
    @first = want.first
    @given = want.drop(1).select { |w| w.include?("=") }.to_h { |w| w.split("=", 2) }
    @assertions = 0
  end

  def check
    case @first
    when "paused", "raised", "none" then assert_equal @first.to_sym, @got
    when "is" then record
    when "error" then assert_kind_of Twiceproof::Error, @got
    when /\A\d+\z/ then assert_equal @first.to_i, @got
    else result
    end
  end

  private

  def record
    refute_equal :none, @got
    @given.each do |name, want|
      value = @got.fetch(name)
      value = {"t" => "1", "f" => "0"}.fetch(value, value) if name == "given_up"
      next refute_nil(value, name) if want == "set"

      assert_equal want, value.nil? ? "null" : value.to_s, name
    end
  end

  def result
    raise @got if @got.is_a?(Exception)

    assert_kind_of Twiceproof::Result, @got
    assert_equal [@first, @want.include?("acknowledge"), @want.include?("repeat")],
                 [@got.outcome.to_s, @got.acknowledge?, @got.repeat?], @got.inspect
    assert_empty @given.keys - KNOWN
    @given.each { |name, want| send(name, want) }
  end

  def completion(want)
    assert_equal want, @got.completion
  end

  def value(want)
    assert_equal want, @got.value || "none"
  end

  def value_bytes(want)
    assert_equal want.to_i, @got.value.bytesize
  end

  def retry_after(want)
    low, high = want.split("..").map { |text| Twiceproof::Duration.parse(text) }
    assert_includes low..(high || low), @got.retry_after
  end
end
