# frozen_string_literal: true

require_relative "errors"

module Twiceproof
  # Durations as the job file has them: 90s, 2m, 45d, 1h30m. In code they are seconds, in the record
  # whole milliseconds.
  module Duration
    # A text that is no duration, and what to write instead.
    class Invalid < Error
      attr_reader :hint

      def initialize(what, hint)
        super(what)
        @hint = hint
      end
    end

    WHOLE = /\A(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?\z/.freeze
    LENGTHS = [86_400_000, 3_600_000, 60_000, 1000, 1].freeze
    MOST = ((2**63) - 1) / 1_000_000
    NO_DURATION = ["is no duration", "write one such as 90s, 2m, 45d or 1h30m; the units are ms, s, m, h and d"].freeze

    module_function

    # Seconds, from whole numbers with the units d, h, m, s and ms, from long to short.
    def parse(text)
      refuse_common(text)
      found = WHOLE.match(text)
      raise Invalid.new(*NO_DURATION) if text.empty? || !found

      total = found.captures.zip(LENGTHS).sum { |number, length| number.to_i * length }
      raise Invalid.new("is too long", "a duration is shorter than 292 years") if total > MOST

      seconds(total)
    end

    def refuse_common(text)
      raise Invalid.new("is negative", "a duration is never negative") if text.start_with?("-")

      unit = "write #{text}s if seconds are meant; the units are ms, s, m, h and d"
      raise Invalid.new("has no unit", unit) if text.match?(/\A\d+\z/)
      raise Invalid.new("has a fraction", "write whole numbers, such as 1h30m or 1500ms") if text.include?(".")
    end

    # 0.1 is a tenth here, not the float next to it.
    def exact(seconds)
      Rational(seconds.to_s)
    end

    def ms(seconds)
      (exact(seconds) * 1000).to_i
    end

    def seconds(milliseconds)
      whole = Rational(milliseconds, 1000)
      whole.denominator == 1 ? whole.to_i : whole
    end
  end
end
