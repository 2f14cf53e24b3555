# frozen_string_literal: true

# The gem with Sidekiq, whatever the order of the gems in a Gemfile: gem "twiceproof", require: "twiceproof/sidekiq".

require "sidekiq"
require_relative "../twiceproof"

Twiceproof::SidekiqMiddleware.install
