# frozen_string_literal: true

require_relative "errors"

module Twiceproof
  # One thing that is wrong with a job, by the name of its field in the job file.
  Problem = Struct.new(:field, :what, :hint) do
    def to_s
      field.empty? ? what : "#{field}: #{what}"
    end
  end

  # A job that is not sound.
  class JobError < Error
    attr_reader :problems

    def initialize(problems)
      super(problems.join("\n"))
      @problems = problems
    end
  end

  # What makes a job sound: the same checks and words in every language.
  module JobChecks
    POLICIES = %w[lookup resend hold accept_duplicate accept_miss].freeze
    ROOTS_OF = {"sqs" => %w[body attributes], "celery" => %w[args kwargs headers], "rq" => %w[args kwargs],
                "sidekiq" => %w[args job]}.freeze
    MOST_FIELDS_BYTES = 1000

    # Everything that is wrong with the job.
    def problems
      [*names, *operation_problems, *times, *policy_problems].compact
    end

    private

    def problem(good, field, what, hint)
      Problem.new(field, what, hint) unless good
    end

    def one_of(token, what)
      token.empty? ? "the #{what} is missing" : "\"#{token}\" is no #{what}"
    end

    def names
      hint = "name the job by what it does, such as charge.create"
      sound = type.valid_encoding? && type.encoding == Encoding::UTF_8 && !type.include?("\0")
      [
        problem((1..64).cover?(type.bytesize), "", "a job type has 1 to 64 bytes", hint),
        problem(sound, "", "a job type is valid UTF-8 without NUL", hint),
        problem(ROOTS_OF.key?(queue), "queue", one_of(queue, "queue"), "write sidekiq, celery, rq or sqs"),
        problem(%w[own_row outside].include?(effect.kind), "effect.kind", one_of(effect.kind, "kind of effect"),
                "write own_row (a row in the application's own database) or outside")
      ]
    end

    def operation_problems
      key = operation.key
      fields = operation.fingerprint
      [
        problem(!key.empty?, "operation.key", "no path is named",
                "name what identifies the business operation, such as kwargs.order_id"),
        *path_problems("operation.key", key),
        *path_problems("operation.fingerprint", fields),
        problem(fields.join(",").bytesize <= MOST_FIELDS_BYTES, "operation.fingerprint",
                "the list of fields has more than 1000 bytes", "name fewer fields")
      ]
    end

    def path_problems(name, paths)
      roots = ROOTS_OF[queue]
      paths.each_with_index.flat_map do |path, i|
        [
          problem(roots.nil? || roots.include?(path.root), "#{name}[#{i}]", "a message of #{queue} has no #{path.root}",
                  "start the path with #{roots&.join(" or ")}"),
          problem(!paths.take(i).include?(path), "#{name}[#{i}]", "#{path} is named twice", "name each path once")
        ]
      end
    end

    def times
      [
        problem(longest_run.positive?, "longest_run", "the longest normal run time is missing",
                "write how long the job runs at most, such as 40s"),
        problem(lease >= 1, "lease", "the lease is at least 1s", "write longer than the longest run, such as 2m"),
        problem(lease > longest_run || lease < 1, "lease", "the lease must be longer than longest_run",
                "a job that outlives its lease is taken over while it runs; lengthen the lease"),
        problem(retention.zero? || retention > lease, "retention", "retention must be longer than the lease",
                "keep records longer than the longest possible redelivery, such as 45d"),
        *whole_milliseconds
      ]
    end

    def whole_milliseconds
      stored = {"lease" => lease, "stale_claim.settle" => stale_claim.settle,
                "stale_claim.reference_window" => stale_claim.reference_window}
      stored.map do |field, length|
        whole = (Duration.exact(length) * 1000).denominator == 1
        problem(whole, field, "must be whole milliseconds", "the record keeps milliseconds")
      end
    end

    def policy_problems
      return outside_problems if effect.kind == "outside"
      return [] unless effect.kind == "own_row"

      [problem(stale_claim == JobDefinition::StaleClaim.new, "stale_claim", "an own row takes no policy",
               "leave it out: a killed job's row is rolled back together with its claim")]
    end

    def outside_problems
      s = stale_claim
      known = problem(POLICIES.include?(s.policy), "stale_claim.policy", one_of(s.policy, "policy"),
                      "write lookup, resend, hold, accept_duplicate or accept_miss")
      return [known] if known

      [
        problem(s.max_takeovers >= 0, "stale_claim.max_takeovers", "must not be negative", "leave it out for 5"),
        problem(s.max_lookups >= 0, "stale_claim.max_lookups", "must not be negative", "leave it out for 5"),
        *lookup_problems(s), resend_problem(s)
      ]
    end

    def lookup_problems(stale)
      if stale.policy == "lookup"
        return [problem(stale.settle.positive?, "stale_claim.settle", "lookup needs a settle time",
                        "write how long the service needs until a look-up shows a call, such as 30s")]
      end
      hint = "leave it out, or write policy: lookup"
      [problem(stale.settle.zero?, "stale_claim.settle", "only lookup has a settle time", hint),
       problem(stale.max_lookups <= 0, "stale_claim.max_lookups", "only lookup looks up", hint)]
    end

    def resend_problem(stale)
      field = "stale_claim.reference_window"
      if stale.policy == "resend"
        return problem(stale.reference_window > lease, field, "resend needs a reference window longer than the lease",
                       "write how long the service remembers a reference, such as 24h")
      end
      problem(stale.reference_window.zero?, field, "only resend has a reference window",
              "leave it out, or write policy: resend")
    end
  end
end
