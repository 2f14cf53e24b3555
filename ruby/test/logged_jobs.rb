# frozen_string_literal: true

# Jobs in the test's own process, on SQLite, and what they log.
module LoggedJobs
  def setup
    super
    @type = self.class.next_type
    @log = StringIO.new
    Twiceproof.configuration.log = Logger.new(@log)
    @database = TestDatabase.named("sqlite")
    @acts = []
  end

  def teardown
    Twiceproof.instance_variable_set(:@configuration, nil)
    super
  end
end
