# frozen_string_literal: true

require "digest"
require_relative "errors"
require_relative "path"

module Twiceproof
  # What must match when an operation key is used again: a digest, and the fields behind it.
  Fingerprint = Struct.new(:digest, :fields) do
    # Only two made from the same fields disagree; a field added by a release does not.
    def differs?(other)
      !digest.nil? && !other.digest.nil? && fields == other.fields && digest != other.digest
    end
  end

  # Operation key, fingerprint and reference: the same bytes in every language.
  module Key
    MOST_BYTES = 255
    # White space and invisible characters. The list is written out because the strip of languages disagree.
    BLANK = [*0x09..0x0D, *0x1C..0x20, 0x85, 0xA0, 0x1680, 0x180E, *0x2000..0x200D,
             0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF].freeze
    # What languages write when they turn nothing into a text.
    NOTHING_WORDS = ["None", "nil", "null", "undefined", "<nil>"].freeze
    KINDS = {String => "string", Integer => "integer", Float => "float", TrueClass => "boolean", FalseClass => "boolean",
             NilClass => "null", Array => "list", Hash => "object"}.freeze

    module_function

    # The value at each path, % and / in it escaped, joined with /. Bytes are identity.
    def of(paths, fields)
      raise KeyRefusedError.new("operation key", "", "no_path") if paths.empty?

      key = paths.map { |path| part(path, fields).gsub("%", "%25").gsub("/", "%2F") }.join("/")
      raise KeyRefusedError.new("operation key", paths.join(","), "too_long") if key.bytesize > MOST_BYTES

      key
    end

    def part(path, fields)
      value = path.find(fields)
      kind = kind_of(value)
      return value.to_s if kind == "integer"

      text = utf8(value) if kind == "string"
      why = kind == "string" ? refused_text(text) : kind
      raise KeyRefusedError.new("operation key", path.text, why) if why

      text
    end

    def refused_text(text)
      return "not_utf8" unless text
      return "empty" if text.empty?
      return "nul" if text.include?("\0")
      return "blank" if text.each_char.all? { |c| BLANK.include?(c.ord) }

      "word" if NOTHING_WORDS.include?(text)
    end

    # The text as UTF-8: bytes without an encoding are taken as they are. nil when they are none.
    def utf8(text)
      plain = String.new(text)
      plain = text.encoding == Encoding::BINARY ? plain.force_encoding("UTF-8") : plain.encode("UTF-8")
      plain if plain.valid_encoding?
    rescue EncodingError
      nil
    end

    def kind_of(value)
      return "absent" if value.equal?(Path::ABSENT)

      KINDS.find { |type, _| value.is_a?(type) }&.last || "type"
    end

    # SHA-256 over the fields in the order of their paths' bytes: type byte, length, bytes of each. So 1,
    # 1.0 and "1" are three values, and an absent field is null.
    def fingerprint(paths, fields)
      return Fingerprint.new(nil, "") if paths.empty?

      ordered = paths.sort_by { |path| path.text.b }
      encoded = ordered.map { |path| encoded(path, path.find(fields)) }.join
      Fingerprint.new(Digest::SHA256.digest(encoded), ordered.join(","))
    end

    def encoded(path, value)
      kind = kind_of(value)
      case kind
      when "absent", "null" then tagged("n", "")
      when "boolean" then tagged("b", value ? "\x01" : "\x00")
      when "integer" then tagged("i", value.to_s)
      when "string" then tagged("s", utf8(value) || refuse_field(path, "not_utf8"))
      when "float" then tagged("f", value.finite? ? [value + 0.0].pack("G") : refuse_field(path, "infinite")) # -0 as 0
      else refuse_field(path, kind)
      end
    end

    def refuse_field(path, why)
      raise KeyRefusedError.new("fingerprint", path.text, why)
    end

    def tagged(tag, bytes)
      tag.b + sized(bytes)
    end

    def sized(bytes)
      [bytes.bytesize].pack("Q>") + bytes.b
    end

    # What the outside service is given: a UUID that is the same in every attempt, on every worker.
    def reference(job_type, key)
      sum = Digest::SHA256.digest(sized(job_type) + sized(key)).bytes.first(16)
      sum[6] = (sum[6] & 0x0F) | 0x80
      sum[8] = (sum[8] & 0x3F) | 0x80
      hex = sum.pack("C*").unpack1("H*")
      [hex[0, 8], hex[8, 4], hex[12, 4], hex[16, 4], hex[20, 12]].join("-")
    end
  end
end
