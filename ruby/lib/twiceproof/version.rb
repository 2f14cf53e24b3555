# frozen_string_literal: true

module Twiceproof
  VERSION = "0.1.0"
end
