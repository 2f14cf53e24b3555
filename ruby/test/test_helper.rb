# frozen_string_literal: true

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))

require "minitest/autorun"
require "twiceproof"

ROOT = File.expand_path("../..", __dir__)
