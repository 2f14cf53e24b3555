# frozen_string_literal: true

require_relative "fetch"
require_relative "../new/charge_job"
