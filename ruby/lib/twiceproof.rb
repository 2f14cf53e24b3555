# frozen_string_literal: true

# Twiceproof makes one background job safe to run twice.
#
# A queue delivers a message at least once. The guard gives each business operation one idempotency
# record in the application's own database, with a unique key, and uses it as claim, act, complete,
# with a written policy for the case that a worker died in between and nobody can tell.
module Twiceproof
  # Needs no database driver and no framework: it uses those that the application has loaded.
end

require_relative "twiceproof/version"
require_relative "twiceproof/errors"
require_relative "twiceproof/duration"
require_relative "twiceproof/path"
require_relative "twiceproof/key"
require_relative "twiceproof/job_definition"
require_relative "twiceproof/job_file"
require_relative "twiceproof/message"
require_relative "twiceproof/delivery"
require_relative "twiceproof/guard"
require_relative "twiceproof/job"
