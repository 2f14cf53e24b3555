# frozen_string_literal: true

require_relative "fetch"
require_relative "../old/charge_job"
