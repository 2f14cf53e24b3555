# frozen_string_literal: true

require "active_support/notifications"
require "sidekiq"
require_relative "test_helper"
require_relative "applications"

# The page's own code runs as it stands there.
class DocsTest < Minitest::Test
  PAGE = File.read(File.join(ROOT, "docs", "sidekiq.md"))
  OWN_ROW = {"queue" => "sidekiq", "operation" => {"key" => ["args[0]"]}, "effect" => {"kind" => "own_row"},
             "longest_run" => "1s", "lease" => "20s"}.freeze

  # The payment service, and what else the page has of its own.
  class Charges
    attr_reader :all

    def initialize
      @all = []
    end

    def find(reference:)
      @all.select { |charge| charge[:reference] == reference }
    end

    def create(*order, **more)
      @all << {order: order, **more}
    end
  end

  def setup
    @app = Application.named("active_record postgres")
    Twiceproof.configuration.log = Logger.new(nil)
    configuration, charge, booking, rated, held = PAGE.scan(/```ruby\n(.*?)```/m).flatten
    @page = Module.new
    @page.const_set(:CHARGES, @charges = Charges.new)
    @page.const_set(:RATES, Struct.new(:today).new(3))
    @page.const_set(:Booking, bookings)
    @page.const_set(:PAGER, ->(text) { @paged = text })
    [configuration, charge, booking, rated, held].each { |code| within_files { @page.module_eval(code) } }
  end

  def teardown
    Twiceproof.instance_variable_set(:@configuration, nil)
    Twiceproof::JobSettings.all.pop(3)
    @app.close
  end

  def test_the_page
    perform(@page::ChargeJob, "doc-1", 500)
    perform(@page::ChargeJob, "doc-1", 500)
    perform(@page::BookingJob, "doc-2")
    perform(@page::RatedBookingJob, "doc-3")
    perform(@page::RatedBookingJob, "doc-3")

    assert_equal([["doc-1", 500]], @charges.all.map { |charge| charge[:order] })
    assert_equal([1, 1], %w[doc-2 doc-3].map { |item| @app.database.effects("booking.create", item) })
    assert_raises(Twiceproof::MismatchError) { perform(@page::ChargeJob, "doc-1", 600) }
    ActiveSupport::Notifications.instrument("held.twiceproof", job: 1, result: Twiceproof::Result.new(outcome: :held, key: "7"))

    assert_equal "Integer 7 waits for a person", @paged
  end

  private

  def bookings
    Module.new do
      def self.create!(order_id:, **)
        Effect.create!(job: "booking.create", item: order_id)
      end
    end
  end

  def perform(job, *args)
    within_files { job.new.perform(*args) }
  end

  # Where the page's files are, and the address of its database.
  def within_files(&block)
    Dir.mktmpdir do |dir|
      own_rows = %w[booking.create booking.rate].map { |type| "  #{type}: #{JSON.generate(OWN_ROW)}\n" }.join
      settings = PAGE[/```yaml\n(.*?)```/m, 1]
      File.write("#{dir}/twiceproof.yaml", "#{settings}#{own_rows}")
      address = @app.database.address
      ENV["DATABASE_URL"] = "postgresql://#{address[:user]}@#{address[:host]}:#{address[:port]}/#{address[:dbname]}"
      Dir.chdir(dir, &block)
    end
  ensure
    ENV.delete("DATABASE_URL")
  end
end
