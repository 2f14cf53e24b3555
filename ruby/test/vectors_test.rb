# frozen_string_literal: true

require "digest"
require_relative "test_helper"
require_relative "scenarios"

# The scenarios of vectors/, on each database.
class VectorsTest < Minitest::Test
  ALL = Scenario.all
  HERE = ALL.select(&:for_guards?)

  def test_there_are_scenarios
    assert_operator HERE.size, :>, 180
    assert_equal ALL.size, ALL.map(&:name).uniq.size
  end

  TestDatabase::NAMES.each do |name|
    HERE.select { |scenario| scenario.for?(name) }.each_with_index do |scenario, i|
      define_method("test_#{name}: #{scenario.name}") do
        world = World.new(TestDatabase.named(name), "vector.#{i}")
        begin
          world.play(scenario)
        ensure
          world.close
        end
      end
    end
  end
end
