# frozen_string_literal: true

require "psych"
require_relative "errors"

module Twiceproof
  # One problem in a file, at its line; line 0 means the whole file.
  Fault = Struct.new(:file, :line, :what, :hint) do
    def to_s
      line.zero? ? "#{file}: #{what}" : "#{file}:#{line}: #{what}"
    end
  end

  # Every problem in a file, by line.
  class JobFileError < Error
    attr_reader :faults

    def initialize(faults)
      @faults = faults.sort_by.with_index { |fault, i| [fault.line, i] }
      super(@faults.map { |fault| "#{fault}\nhint: #{fault.hint}" }.join("\n"))
    end
  end

  # Of YAML only what a settings file needs: one document, no anchors, aliases, merges or tags. So the
  # readers of other languages see the same.
  class YAMLNodes
    MOST_BYTES = 128 << 10
    MOST_NESTING = 100

    # kind: text, integer, float, boolean, null, list, mapping, alias or tag. items are a list's nodes, or
    # a mapping's pairs of nodes.
    Node = Struct.new(:kind, :line, :text, :items)

    # As YAML 1.2, and the readers of the other languages, resolve a text without quotes.
    PLAIN = {
      "null" => /\A(?:~|null|Null|NULL)?\z/,
      "boolean" => /\A(?:true|True|TRUE|false|False|FALSE)\z/,
      "integer" => /\A[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)\z/,
      "float" => /\A[-+]?(?:(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\z/
    }.freeze

    def initialize(name)
      @name = name
    end

    # The one document of a file, down to its nodes.
    def read(data)
      text = checked(data.dup.force_encoding("UTF-8").delete_prefix("\uFEFF"))
      roots = Psych.parse_stream(text).children.map { |document| node(document.root) }
      roots.reject! { |root| root.kind == "null" && root.text.empty? }
      refuse("the file is empty", "start with version: 1") if roots.empty?
      return roots.first if roots.size == 1

      refuse("a second document stands here", "write one document; remove the line ---", roots[1].line)
    rescue Psych::SyntaxError => e
      unsound(e)
    end

    private

    def refuse(what, hint, line = 0)
      raise JobFileError, [Fault.new(@name, line, what, hint)]
    end

    def checked(text)
      refuse("is larger than 128 KiB, too large for a settings file", "check the path") if text.bytesize > MOST_BYTES
      bad = text.each_line.find_index { |line| !line.valid_encoding? || line.include?("\0") }
      refuse("is not UTF-8 text", "save the file as UTF-8", bad + 1) if bad
      refuse("is nested more than 100 deep", "check the path, and close every bracket") if too_deep?(text)
      text
    end

    # Looked at before the YAML reader does, whose stack is not endless.
    def too_deep?(text)
      depth = 0
      text.each_line.any? do |line|
        line[/\A[ \-?:]*/].scan(/[-?:] /).size > MOST_NESTING || line.each_char.any? do |c|
          depth += 1 if "[{".include?(c)
          depth -= 1 if "]}".include?(c) && depth.positive?
          depth > MOST_NESTING
        end
      end
    end

    def unsound(error)
      what = "not sound YAML: #{error.problem}"
      hint = "indent with spaces, and quote a text that has : # { } [ ] or a comma"
      refuse(what, hint, error.line.to_i.clamp(1, MOST_BYTES))
    end

    def node(found)
      line = found.start_line + 1
      return Node.new("alias", line) if found.is_a?(Psych::Nodes::Alias) || found.anchor
      return Node.new("tag", line) if found.tag

      case found
      when Psych::Nodes::Scalar then Node.new(kind_of(found), line, found.value)
      when Psych::Nodes::Sequence then Node.new("list", line, "", found.children.map { |child| node(child) })
      else Node.new("mapping", line, "", found.children.map { |child| node(child) }.each_slice(2).to_a)
      end
    end

    def kind_of(scalar)
      return "text" unless scalar.style == Psych::Nodes::Scalar::PLAIN

      PLAIN.find { |_, pattern| pattern.match?(scalar.value) }&.first || "text"
    end
  end
end
