# frozen_string_literal: true

require_relative "job_definition"
require_relative "job_file_reader"
require_relative "statements"

module Twiceproof
  # A job file (twiceproof.yaml) that has been read and found sound: read whole or refused whole, every
  # problem at its line, no field silently ignored.
  class JobFile
    attr_reader :path, :table, :jobs

    # Reads a job file. The error lists every problem in it.
    def self.load(path)
      parse(path.to_s, File.binread(path, YAMLNodes::MOST_BYTES + 1).to_s)
    rescue SystemCallError => e
      raise JobFileError, [Fault.new(path.to_s, 0, "cannot be read: #{e.message}", "check the path")]
    end

    # Reads the text of a job file; the name is for its errors.
    def self.parse(name, data)
      reader = JobFileReader.new(name)
      written = reader.file(YAMLNodes.new(name).read(data))
      jobs = (written["jobs"] || {}).map { |type, fields| job_of(type, fields) }
      table = written.fetch("table", Statements::TABLE)
      reader.check(written["version"], table, jobs)
      raise JobFileError, reader.faults unless reader.faults.empty?

      new(name, table, jobs)
    end

    def self.job_of(type, fields)
      parts = {"operation" => JobDefinition::Operation, "effect" => JobDefinition::Effect,
               "stale_claim" => JobDefinition::StaleClaim}
      given = fields.to_h do |name, value|
        [name.to_sym, parts.key?(name) ? parts[name].new(**value.transform_keys(&:to_sym)) : value]
      end
      JobDefinition.new(type: type, **given)
    end
    private_class_method :job_of

    def initialize(path, table, jobs)
      @path = path
      @table = table
      @jobs = jobs
    end

    # One job of the file; the only one when none is named.
    def job(type = nil)
      found = type ? jobs.find { |j| j.type == type } : (jobs.first if jobs.size == 1)
      return found if found

      types = jobs.map(&:type)
      near = type && Nearest.of(type, types)
      what = type ? "has no job \"#{type}\"" : "has several jobs and none is named"
      raise JobFileError, [Fault.new(path, 0, what, near ? "did you mean #{near}?" : "it has #{types.join(", ")}")]
    end
  end
end
