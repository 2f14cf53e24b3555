# frozen_string_literal: true

require_relative "lib/twiceproof/version"

Gem::Specification.new do |s|
  s.name = "twiceproof"
  s.version = Twiceproof::VERSION
  s.summary = "One background job made safe to run twice"
  s.description = "Gives each business operation one idempotency record in the application's own database."
  s.authors = ["Twiceproof"]
  s.homepage = "https://github.com/twiceproof/twiceproof"
  s.license = "Apache-2.0"
  s.required_ruby_version = ">= 2.7"
  s.files = Dir.chdir(__dir__) { Dir["lib/**/*", "twiceproof.gemspec", "LICENSE"].select { |f| File.file?(f) } }
  s.metadata = {"rubygems_mfa_required" => "true"}
end
