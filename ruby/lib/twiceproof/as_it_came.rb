# frozen_string_literal: true

require "json"

module Twiceproof
  # Writes again what Ruby's JSON reads and then refuses to write: a number beyond all floats, and a text whose bytes
  # are no UTF-8.
  module AsItCame
    module_function

    def text(value)
      case value
      when Hash then "{#{value.map { |name, inner| "#{text(name)}:#{text(inner)}" }.join(",")}}"
      when Array then "[#{value.map { |inner| text(inner) }.join(",")}]"
      when String then string(value)
      when Float then value.infinite? ? "#{"-" if value.negative?}1e999" : JSON.generate(value)
      else JSON.generate(value)
      end.b
    end

    def string(value)
      return JSON.generate(value) if value.encoding == Encoding::UTF_8 && value.valid_encoding?

      "\"#{value.b.gsub(/["\\\x00-\x1f]/n) { |c| format("\\u%04x", c.ord) }}\"".b
    end
  end
end
