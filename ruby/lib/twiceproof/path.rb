# frozen_string_literal: true

require "strscan"
require_relative "errors"

module Twiceproof
  # A path names one value in a message: args[0].id, kwargs.order_id, body["order id"], attributes.tenant.
  # Names go into an object, numbers into a list. Two paths with the same steps are equal.
  class Path
    # A text that is no path, and what to write instead.
    class Invalid < Error
      attr_reader :what, :hint

      def initialize(text, what, hint)
        super("path #{Path.quoted(text)}: #{what}")
        @what = what
        @hint = hint
      end
    end

    ROOTS = %w[body attributes args kwargs headers job].freeze
    BARE = /[A-Za-z0-9_-]+/.freeze
    ABSENT = Object.new.freeze

    attr_reader :steps, :text
    alias to_s text

    def self.parse(text)
      new(PathParser.new(text).steps)
    end

    def self.quoted(text)
      "\"#{text.gsub(/["\\]/) { |c| "\\#{c}" }}\""
    end

    def initialize(steps)
      @steps = steps.freeze
      @text = "#{steps.first}#{steps.drop(1).map { |s| written(s) }.join}"
    end

    def root
      steps.first.to_s
    end

    def ==(other)
      other.is_a?(Path) && steps == other.steps
    end

    # The value, or ABSENT. Under a value that cannot be walked into there is nothing.
    def find(fields)
      steps.reduce(fields) do |at, step|
        return ABSENT unless at.is_a?(step.is_a?(Integer) ? Array : Hash)

        at.fetch(step, ABSENT)
      end
    end

    private

    def written(step)
      return "[#{step}]" if step.is_a?(Integer)

      step.match?(/\A#{BARE}\z/o) ? ".#{step}" : "[#{Path.quoted(step)}]"
    end
  end

  # Reads the text of a path.
  class PathParser
    MUST_QUOTE = ["has a character that must be quoted",
                  'quote the whole name in brackets, such as body["order id"]'].freeze
    OPEN = ["has a bracket that is not closed", 'write args[0] or body["order id"]'].freeze
    NUMBER = ["has something else than a number between brackets",
              "write one place, counted from 0, such as args[0]; a name between brackets is quoted, " \
              'such as body["order id"]'].freeze

    def initialize(text)
      @text = text
      fail_with("is not valid UTF-8", "save the file as UTF-8") unless text.valid_encoding?
      @scan = StringScanner.new(text)
    end

    def steps
      steps = [root]
      steps << step until @scan.eos?
      check(steps)
      steps
    end

    private

    def fail_with(what, hint)
      raise Path::Invalid.new(@text, what, hint)
    end

    def root
      fail_with("is empty", "write a path such as body.order.id or args[0]") if @text.empty?
      name = @scan.scan(Path::BARE)
      return name if Path::ROOTS.include?(name)

      fail_with("does not start with body, attributes, args, kwargs, headers or job",
                "SQS has body and attributes, Celery args, kwargs and headers, RQ args and kwargs, Sidekiq args and job")
    end

    def step
      return dot_name if @scan.skip(/\./)
      return quoted_name if @scan.skip(/\["/)
      return index if @scan.skip(/\[/)

      fail_with(*MUST_QUOTE)
    end

    def dot_name
      name = @scan.scan(Path::BARE)
      return name if name

      none = @scan.eos? || @scan.check(/[.\[]/)
      none ? fail_with("has no name after a dot", "write a name after each dot, such as body.order.id") : fail_with(*MUST_QUOTE)
    end

    def quoted_name
      name = @scan.scan(/(?:[^"\\]|\\["\\])*/m)
      if @scan.check(/\\/)
        fail_with("has a backslash before another character than a quote or a backslash",
                  "between quotes write \\\\ for a backslash; every other character stands for itself")
      end
      fail_with("has a quote that is not closed", 'write body["order id"]') unless @scan.skip(/"/)
      fail_with(*OPEN) unless @scan.skip(/\]/)
      name.gsub(/\\(.)/m, '\1')
    end

    def index
      digits = @scan.scan(Path::BARE).to_s
      fail_with(*OPEN) if !digits.empty? && !@scan.check(/\]/)
      fail_with(*NUMBER) unless digits.match?(/\A\d+\z/)
      fail_with("has an index that is too large", "an index has at most 9 digits") if digits.size > 9
      fail_with("has an index with a leading zero", "write args[1], not args[01]") if digits.match?(/\A0./)
      @scan.skip(/\]/)
      digits.to_i
    end

    # Refuses a path that can never find a value, whatever the message.
    def check(steps)
      root, second = steps
      fail_with("goes into args without a place", "args is a list: write args[0]") if root == "args" && !second.is_a?(Integer)
      if %w[kwargs attributes headers job].include?(root) && !second.is_a?(String)
        fail_with("goes into #{root} without a name", "#{root} has names: write #{root}.order_id")
      end
      refuse_attribute if root == "attributes" && steps.size > 2
    end

    def refuse_attribute
      name = Path.quoted(@text.delete_prefix("attributes."))
      fail_with("goes into an attribute",
                "an attribute is one plain value; if the dot belongs to its name, quote it: attributes[#{name}]")
    end
  end
end
