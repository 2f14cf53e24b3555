# frozen_string_literal: true

require_relative "nearest"
require_relative "yaml_fields"
require_relative "yaml_nodes"

module Twiceproof
  # Puts the nodes of a job file into hashes and keeps every problem with its place.
  class JobFileReader
    include YAMLFields

    STALE_CLAIM = {"policy" => :text, "settle" => :duration, "reference_window" => :duration,
                   "max_takeovers" => :number, "max_lookups" => :number}.freeze
    JOB = {
      "queue" => :text, "message" => :text,
      "operation" => {"key" => :paths, "repeat" => :text, "fingerprint" => :paths},
      "effect" => {"kind" => :text, "what" => :text},
      "longest_run" => :duration, "lease" => :duration, "stale_claim" => STALE_CLAIM,
      "store_message" => :boolean, "retention" => :duration
    }.freeze
    FILE = {"version" => :number, "table" => :text, "jobs" => :jobs}.freeze

    attr_reader :faults

    def initialize(file)
      @file = file
      @faults = []
      @lines = {"" => 1} # of each field that was written
      @bad = {} # fields that have been reported
    end

    def file(root)
      unless root.kind == "mapping"
        what = "the file must start with names, but #{KINDS[root.kind]} stands here"
        raise JobFileError, [Fault.new(@file, root.line, what, "start with version: 1")]
      end
      written = structure(root, "", FILE)
      if (written["jobs"] || {}).empty? && !@bad["jobs"]
        what = @lines.key?("jobs") ? "jobs is empty" : "jobs is missing"
        fail_field("jobs", what, "name each job by what it does, such as charge.create, under jobs")
      end
      written
    end

    def check(version, table, jobs)
      check_version(version)
      unless @bad["table"] || table.match?(/\A[A-Za-z_][A-Za-z0-9_]{0,62}\z/)
        fail_field("table", "table is no plain name: \"#{table}\"",
                   "write up to 63 ASCII letters, digits and _, not starting with a digit, such as idempotency_records")
      end
      jobs.each { |job| check_job(job) }
    end

    private

    def fail_at(line, field, what, hint)
      @bad[field] = true
      @faults << Fault.new(@file, line, what, hint)
    end

    # At the line of the field, or else of the field around it.
    def fail_field(field, what, hint)
      fail_at(@lines[outwards(field).find { |f| @lines.key?(f) }], field, what, hint)
    end

    # nil when it was refused, and so reported.
    def value(node, field, read)
      check_plain(node, field)
      return structure(mapping(node, field), field, read) if read.is_a?(Hash)

      send(read, node, field)
    rescue Wrong => e
      fail_at(node.line, field, e.message, e.hint)
      nil
    end

    def structure(node, field, members)
      entries(node, field).each_with_object({}) do |(key, value_node), read|
        at = under(field, key.text)
        next unknown(key, field, members.keys) unless members.key?(key.text)

        @lines[at] = key.line
        found = value(value_node, at, members[key.text])
        read[key.text] = found unless found.nil?
      end
    end

    def jobs(node, field)
      entries(mapping(node, field), field).to_h do |key, value_node|
        at = under(field, key.text)
        @lines[at] = key.line
        [key.text, value(value_node, at, JOB) || {}]
      end
    end

    # The names and values of a mapping; a name that is none, or is there twice, is reported.
    def entries(node, field)
      first = {}
      node.items.select do |key, _|
        next bad_name(key, field) if key.kind != "text" || ["", "<<"].include?(key.text)
        next first[key.text] = key.line unless first.key?(key.text)

        what = "field #{key.text} stands here again, first on line #{first[key.text]}"
        raise JobFileError, [Fault.new(@file, key.line, what, "keep one of the two")]
      end
    end

    def bad_name(key, field)
      fail_at(key.line, field, "a name must be a text, and not empty",
              "put the name in quotes, and write anchors and merges out")
      false
    end

    # The field that was probably meant counts as reported, so that its absence is not a second problem.
    def unknown(key, field, known)
      near = Nearest.of(key.text, known)
      @bad[under(field, near)] = true if near
      hint = near ? "did you mean #{near}?" : "known here: #{known.join(", ")}"
      fail_at(key.line, under(field, key.text), "unknown field #{key.text}", hint)
    end

    def check_version(version)
      return if @bad["version"] || version == 1

      if @lines.key?("version")
        fail_field("version", "version #{version} is not known", "this twiceproof reads version: 1")
      else
        fail_field("version", "version is missing", "start with version: 1")
      end
    end

    # What is wrong with the job, except in fields that have been reported.
    def check_job(job)
      job.problems.each do |problem|
        field = ["jobs", job.type, problem.field].reject(&:empty?).join(".")
        fail_field(field, "#{field}: #{problem.what}", problem.hint) if outwards(field)[0..-2].none? { |f| @bad[f] }
      end
    end

    def under(field, name)
      field.empty? ? name : "#{field}.#{name}"
    end

    # The field and those it stands in, the last one being the file.
    def outwards(field)
      all = [field]
      all << (all.last[/\A.*(?=[.\[])/m] || "") until all.last.empty?
      all
    end
  end
end
