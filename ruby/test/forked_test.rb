# frozen_string_literal: true

require_relative "guarded_test"

# A child that the body forks, and that leaves it: claim and connections are the parent's.
class ForkedTest < GuardedTest
  CHILDREN = {"exit" => -> { exit(3) }, "its end" => -> {}, "raise" => -> { raise IOError, "of the child" }}.freeze
  FORKS = (%w[outside] + Application.names).product(CHILDREN.to_a)

  FORKS.each do |name, (how, leave)|
    define_method("test_fork: #{name}, #{how}") do
      assert_equal [:completed, {"exit" => 3, "its end" => 0, "raise" => 1}[how]], [forking(name, leave), @status]
      assert_equal ["completed", 1, false], record(@app.database)
      assert_equal 1, @app.database.effects(@type, "1")
    end
  end

  # As any other body that is left early: what the child does then is done to the parent.
  module Unwound
    class << self
      attr_accessor :on
    end

    def end_child(*)
      super unless Unwound.on
    end
  end
  Twiceproof::Interrupts.singleton_class.prepend(Unwound)

  CHILDREN.each do |how, leave|
    define_method("test_control: fork: outside, #{how}: a child that goes on") do
      Unwound.on = true
      forking("outside", leave) { @seen = record(@app.database) }

      assert_equal how == "its end" ? ["completed", 1, false] : ["claimed", 1, true], @seen, "before the effect"
    ensure
      Unwound.on = false
    end

    # What the parent writes then is in no transaction, or in one that is over.
    define_method("test_control: fork: own_row, #{how}: a child that goes on") do
      Unwound.on = true
      assert_raises(Twiceproof::BodyError) { forking("bare postgres", leave) }

      assert_equal [1, how == "its end" ? "held" : nil], [@app.database.effects(@type, "1"), record(@app.database)&.first]
    ensure
      Unwound.on = false
    end
  end

  private

  def forking(name, leave)
    process = Process.pid
    @type = self.class.next_type
    @app = Application.named(name == "outside" ? "bare postgres" : name)
    body = lambda do |_|
      child = fork or next silently(&leave)
      @status = Process.wait2(child)[1].exitstatus
      yield if block_given?
      @app.insert(@type, "1")
    end
    return guard(@app.database, job("hold")).run(delivery, &body).outcome if name == "outside"

    guard(@app.database, job).run_tx(@app.connection, delivery, &body).outcome
  ensure
    exit!(9) unless Process.pid == process
  end

  def silently
    $stderr.reopen(File::NULL)
    yield
  end
end
