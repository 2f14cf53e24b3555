# frozen_string_literal: true

require_relative "duration"
require_relative "path"

module Twiceproof
  # What may stand in one field of a job file, and how it is read.
  module YAMLFields
    KINDS = {
      "text" => "a text", "integer" => "a number", "float" => "a number", "boolean" => "true or false",
      "list" => "a list", "mapping" => "names with values", "null" => "nothing", "alias" => "something else",
      "tag" => "something else"
    }.freeze
    IN_BRACKETS = "write it in brackets or with a dash before each item; quote an item that has brackets, " \
                  'such as ["args[0]"]'

    # Caught where the field is known.
    class Wrong < StandardError
      attr_reader :hint

      def initialize(what, hint)
        super(what)
        @hint = hint
      end
    end

    private

    # Refuses an empty value and the parts of YAML that are not read.
    def check_plain(node, field)
      case node.kind
      when "null" then raise Wrong.new("#{field} has no value", "write a value, or leave the line out")
      when "alias" then raise Wrong.new("#{field} uses an anchor or alias, which is not read", "write the value out")
      when "tag" then raise Wrong.new("#{field} uses a tag, which is not read", "leave the ! out, or quote the text")
      end
    end

    def wrong_kind(node, field, want, hint)
      raise Wrong.new("#{field} must be #{want}, but #{KINDS[node.kind]} stands here", hint)
    end

    def text(node, field, want = "a text")
      scalar = %w[integer float boolean].include?(node.kind)
      wrong_kind(node, field, want, scalar ? "put it in quotes" : "write #{want}") unless node.kind == "text"
      raise Wrong.new("#{field} holds a NUL character", "remove it") if node.text.include?("\0")

      node.text
    end

    def duration(node, field)
      known = %w[text integer float].include?(node.kind)
      wrong_kind(node, field, "a duration", "write one such as 90s, 2m or 45d") unless known
      Duration.parse(node.text)
    rescue Duration::Invalid => e
      raise Wrong.new("#{field} #{e.message}: \"#{node.text}\"", e.hint)
    end

    def number(node, field)
      wrong_kind(node, field, "a whole number", "write digits without quotes") unless node.kind == "integer"
      size = node.text.match?(/\A[-+]?\d{1,10}\z/) && (-(2**31)...(2**31)).cover?(node.text.to_i)
      raise Wrong.new("#{field} is no whole number of ordinary size", "write plain decimal digits") unless size

      node.text.to_i
    end

    def boolean(node, field)
      wrong_kind(node, field, "true or false", "write true or false, without quotes") unless node.kind == "boolean"
      node.text.downcase == "true"
    end

    def path(node, field)
      Path.parse(text(node, field, "a path such as kwargs.order_id"))
    rescue Path::Invalid => e
      raise Wrong.new("#{field}: #{e.message}", e.hint)
    end

    def paths(node, field)
      wrong_kind(node, field, "a list", IN_BRACKETS) unless node.kind == "list"
      node.items.each_with_index.map do |item, i|
        at = "#{field}[#{i}]"
        @lines[at] = item.line
        value(item, at, :path) || Path.new([])
      end
    end

    def mapping(node, field)
      hint = "write name: value, each on its own line, or {name: value}"
      wrong_kind(node, field, "names with values", hint) unless node.kind == "mapping"
      node
    end
  end
end
