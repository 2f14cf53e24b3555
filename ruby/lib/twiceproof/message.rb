# frozen_string_literal: true

require "json"
require_relative "errors"

module Twiceproof
  # A message that two readers may take differently.
  class MessageError < Error; end

  # Reading a message, so that the operation key does not depend on who reads it.
  module Message
    # Not one sound JSON value.
    class Syntax < MessageError; end

    # An object of a message: refuses a name twice.
    class Names < Hash
      def []=(name, value)
        raise MessageError, "a JSON object has the same name twice" if key?(name)

        super
      end
    end

    HIGH_AND_LOW = /\\u[dD][89abAB]\h\h\\u[dD][c-fC-F]\h\h/.freeze
    STRING = /"(?:[^"\\]|\\.)*"/m.freeze
    # Outside its strings JSON has nothing else; the parser takes comments as well.
    REST = /\A[\s\[\]{},:0-9.E+\-a-z]*\z/.freeze

    module_function

    # Reads one JSON value and keeps every digit of an integer. Refused are a name twice in one object, text
    # after the value, invalid UTF-8, NaN, and half a surrogate pair, which makes two keys one.
    def decode_json(data)
      text = utf8(data)
      raise Syntax, "not one sound JSON value" unless text.gsub(STRING, "").match?(REST)

      value = JSON.parse(text, object_class: Names)
      refuse_half_surrogates(text)
      value
    rescue JSON::JSONError
      raise Syntax, "not one sound JSON value"
    end

    def refuse_half_surrogates(text)
      rest = text.gsub(/\\[^u]/m, "").gsub(HIGH_AND_LOW, "")
      raise MessageError, "a JSON string has half of a surrogate pair" if rest.match?(/\\u[dD][89a-fA-F]/)
    end

    def utf8(data)
      text = data.dup.force_encoding("UTF-8")
      raise MessageError, "not valid UTF-8" unless text.valid_encoding?

      text
    end

    # The fields of an Amazon SQS message. A body that starts with { or [ must be sound JSON; another one is
    # read as JSON when all of it is one JSON value, and is a plain string otherwise: 42 is an integer,
    # ORD-42 and 0042 are strings.
    def fields_of_sqs(body, attributes = {})
      attributes.each { |pair| pair.each { |text| utf8(text) } }
      {"body" => body_of(utf8(body)), "attributes" => attributes}
    end

    def body_of(text)
      decode_json(text)
    rescue Syntax
      raise if text.match?(/\A[ \t\r\n]*[{\[]/)

      text
    end
  end
end
