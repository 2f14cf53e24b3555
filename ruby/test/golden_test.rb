# frozen_string_literal: true

require_relative "test_helper"

# The golden files of the repository: the same bytes as in Go.
class GoldenTest < Minitest::Test
  def self.golden(name)
    Twiceproof::Message.decode_json(File.binread(File.join(ROOT, "job", "testdata", name)))
  end

  def self.cases(name, &body)
    found = golden(name)["cases"]
    raise "few cases" if found.size < 10

    found.each_with_index { |c, i| define_method("test_#{name}_#{i}_#{c["name"]}") { instance_exec(c, &body) } }
  end

  def paths(texts)
    texts.map { |text| Twiceproof::Path.parse(text) }
  end

  cases "keys.json" do |c|
    key = -> { Twiceproof::Key.of(paths(c["key"]), c["fields"]) }
    if c.key?("refused")
      error = assert_raises(Twiceproof::KeyRefusedError, &key)
      assert_equal [c["refused"], c["refused_path"].to_s], [error.why, error.path]
    else
      assert_equal c["want"], key.call
    end
  end

  cases "fingerprints.json" do |c|
    print = -> { Twiceproof::Key.fingerprint(paths(c["fingerprint"]), c["fields"]) }
    if c.key?("refused")
      error = assert_raises(Twiceproof::KeyRefusedError, &print)
      assert_equal [c["refused"], c["refused_path"]], [error.why, error.path]
    else
      assert_equal [c["want_fields"].to_s, c["want_sum"].to_s], [print.call.fields, print.call.digest.to_s.unpack1("H*")]
    end
  end

  cases "paths.json" do |c|
    if c.key?("refused")
      error = assert_raises(Twiceproof::Path::Invalid) { Twiceproof::Path.parse(c["text"]) }
      assert_equal c["refused"], error.what
    else
      path = Twiceproof::Path.parse(c["text"])
      assert_equal [c["path"], c["steps"]], [path.text, path.steps]
      assert_equal path, Twiceproof::Path.parse(path.text)
    end
  end

  cases "references.json" do |c|
    assert_equal c["reference"], Twiceproof::Key.reference(c["job_type"], c["key"])
  end

  def test_lists
    lists = self.class.golden("keys.json")

    assert_equal lists["blank_code_points"], Twiceproof::Key::BLANK
    assert_equal lists["nothing_words"], Twiceproof::Key::NOTHING_WORDS
  end

  ['{"a":1,"a":2}', '"\\ud800"', "\xFF", "1 2", "NaN", "[1,]", "[" * 100_000, '{"\\udc00x":1}', "-Infinity",
   "/* */ 1", '{"a": /* "b" */ 1}', "// \n1"].each_with_index do |text, i|
    define_method("test_message_refused_#{i}") do
      assert_raises(Twiceproof::MessageError) { Twiceproof::Message.decode_json(text) }
    end
  end

  TAKEN = ['"\\ud83d\\ude00"', '"\\\\ud800"', '"/* no comment */ <>"', '{"a":{"b":[1.5e3,-0,null,true]}}', '"é\\u00e9"'].freeze
  TAKEN.each_with_index do |text, i|
    define_method("test_message_taken_#{i}") do
      assert_equal JSON.parse(text), Twiceproof::Message.decode_json(text)
    end
  end

  {"42" => 42, "ORD-42" => "ORD-42", "0042" => "0042", ' {"id": 7}' => {"id" => 7}, "1.0" => 1.0, "" => ""}.each do |body, want|
    define_method("test_sqs_body_#{body}") do
      fields = Twiceproof::Message.fields_of_sqs(body, {"tenant" => "t"})

      assert_equal({"body" => want, "attributes" => {"tenant" => "t"}}, fields)
      assert_equal want.class, fields["body"].class unless want.is_a?(Hash)
    end
  end

  def test_sqs_body_that_opens_an_object_is_json
    assert_raises(Twiceproof::MessageError) { Twiceproof::Message.fields_of_sqs('{"id": 7') }
  end

  {"a symbol" => [:seven, "type"], "not UTF-8" => ["\xFF", "not_utf8"], "bytes, not UTF-8" => ["\xFF".b, "not_utf8"],
   "a huge integer" => [10**9999, "too_long"]}.each do |name, (value, why)|
    define_method("test_key_of_#{name}") do
      error = assert_raises(Twiceproof::KeyRefusedError) { Twiceproof::Key.of(paths(["args[0]"]), {"args" => [value]}) }

      assert_equal why, error.why
    end
  end

  def test_key_of_a_text_in_another_encoding
    ["é".encode("ISO-8859-1"), "é".b, "é"].each do |text|
      assert_equal "é", Twiceproof::Key.of(paths(["args[0]"]), {"args" => [text]})
    end
  end
end
