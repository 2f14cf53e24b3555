# frozen_string_literal: true

require_relative "test_helper"

# The job file, by the golden files of the repository.
class JobFileTest < Minitest::Test
  DATA = File.join(ROOT, "jobfile", "testdata")

  def self.sections
    File.read(File.join(DATA, "refusals.txtar"), encoding: "UTF-8").split(/^-- (.*) --\n/).drop(1).each_slice(2).to_a
  end

  (_, SOUND), *CASES = sections

  def edited(change)
    out, into = %w[- +].map { |sign| change.each_line.select { |l| l.start_with?(sign) }.map { |l| l[1..] }.join }
    return into if out.empty?

    assert_equal 1, SOUND.scan(out).size
    SOUND.sub(out) { into }
  end

  def refused(text)
    Twiceproof::JobFile.parse("twiceproof.yaml", text)
    "accepted\n"
  rescue Twiceproof::JobFileError => e
    "#{e.message}\n"
  end

  CASES.each_slice(2) do |(name, change), (_, want)|
    define_method("test_refusal: #{name}") do
      got = refused(edited(change))
      # What is no YAML is named by each language's own reader, at nearly the same place.
      want.include?("not sound YAML") ? assert_includes(got, "not sound YAML") : assert_equal(want, got)
    end
  end

  def test_the_sound_file_is_sound
    assert_operator CASES.size, :>, 100
    assert_equal "charge.create", Twiceproof::JobFile.parse("f.yaml", SOUND).job.type
  end

  def paths(*texts)
    texts.map { |text| Twiceproof::Path.parse(text) }
  end

  def test_every_field
    file = Twiceproof::JobFile.load(File.join(DATA, "twiceproof.yaml"))

    assert_equal "app_operations", file.table
    assert_equal [charge, mail, invoice], file.jobs
  end

  def charge
    Twiceproof::JobDefinition.new(
      type: "charge.create", queue: "celery", message: "billing.tasks.create_charge",
      operation: Twiceproof::JobDefinition::Operation.new(
        key: paths("kwargs.tenant", "kwargs.order_id"),
        repeat: "The same tenant and order is one operation. Another amount is refused and shown.",
        fingerprint: paths("kwargs.amount_cents", "kwargs.currency")
      ),
      effect: Twiceproof::JobDefinition::Effect.new(kind: "outside", what: "a charge at the payment service"),
      longest_run: 40, lease: 120, store_message: false, retention: 45 * 86_400,
      stale_claim: Twiceproof::JobDefinition::StaleClaim.new(policy: "lookup", settle: 30, max_takeovers: 5, max_lookups: 7)
    )
  end

  def mail
    Twiceproof::JobDefinition.new(
      type: "mail.send", queue: "sidekiq", message: "MailJob",
      operation: Twiceproof::JobDefinition::Operation.new(key: paths("args[0].id")),
      effect: Twiceproof::JobDefinition::Effect.new(kind: "outside", what: "a mail"), longest_run: 5, lease: 90,
      stale_claim: Twiceproof::JobDefinition::StaleClaim.new(policy: "resend", reference_window: 86_400)
    )
  end

  def invoice
    Twiceproof::JobDefinition.new(
      type: "invoice.store", queue: "sqs",
      operation: Twiceproof::JobDefinition::Operation.new(key: paths('body["order id"]', "attributes.tenant")),
      effect: Twiceproof::JobDefinition::Effect.new(kind: "own_row"), longest_run: Rational(1, 2), lease: 1
    )
  end

  def test_byte_order_mark_and_crlf
    text = "\uFEFF#{SOUND.gsub("\n", "\r\n")}"

    assert_equal "billing.tasks.create_charge", Twiceproof::JobFile.parse("f.yaml", text).job.message
  end

  {"charge.crate" => "has no job \"charge.crate\"\nhint: did you mean charge.create?",
   "other" => "has no job \"other\"\nhint: it has charge.create, mail.send, invoice.store",
   nil => "has several jobs and none is named\nhint: it has charge.create, mail.send, invoice.store"}.each do |name, want|
    define_method("test_no_job: #{name}") do
      file = Twiceproof::JobFile.load(File.join(DATA, "twiceproof.yaml"))
      error = assert_raises(Twiceproof::JobFileError) { file.job(name) }

      assert error.message.end_with?(want), error.message
    end
  end

  NOT_READ = ["[" * 500, "a: #{"x" * 200_000}", "\0", "version: 1\njobs: &a {a: *a}", "#{"- " * 300}x", "\xFF", ""].freeze
  NOT_READ.each_with_index do |text, i|
    define_method("test_refused_and_nothing_else: #{i}") do
      assert_raises(Twiceproof::JobFileError) { Twiceproof::JobFile.parse("f.yaml", text) }
    end
  end

  def test_no_such_file
    error = assert_raises(Twiceproof::JobFileError) { Twiceproof::JobFile.load("no/such/file") }

    assert_includes error.message, "cannot be read"
  end

  {"90s" => 90, "2m" => 120, "1h30m" => 5400, "500ms" => Rational(1, 2), "1m5ms" => Rational(60_005, 1000),
   "0s" => 0, "106751d" => 106_751 * 86_400}.each do |text, want|
    define_method("test_duration: #{text}") { assert_equal want, Twiceproof::Duration.parse(text) }
  end

  {"" => "is no duration", "2m1h" => "is no duration", "1m2" => "is no duration", "1w" => "is no duration",
   "+5s" => "is no duration", "90" => "has no unit", "-5s" => "is negative", "1.5h" => "has a fraction",
   "106752d" => "is too long", "99999999999999999999s" => "is too long", "1s\n" => "is no duration"}.each do |text, want|
    define_method("test_no_duration: #{text}") do
      error = assert_raises(Twiceproof::Duration::Invalid) { Twiceproof::Duration.parse(text) }

      assert_equal want, error.message
    end
  end
end
