# frozen_string_literal: true

require_relative "sidekiq_delivery"

module Twiceproof
  # Only a server middleware is shown a job as Redis had it. This one stands first, so that it sees the job before
  # others change it, and catches a delivery that ends without success: neither success nor failure passes through
  # the middleware behind it, so a batch does not count it, a lock is kept, and no callback of ActiveJob takes it for done.
  class SidekiqMiddleware
    # Into Sidekiq's server, once it is loaded.
    def self.install
      return if @installed || !defined?(::Sidekiq) || !::Sidekiq.respond_to?(:configure_server)

      ::Sidekiq.configure_server do |config|
        next if @installed

        @installed = true
        config.server_middleware { |chain| chain.prepend(self) }
        config.on(:startup) { Twiceproof.check }
      end
    end

    # Within another delivery, as perform_inline does it, nothing is at the broker.
    def call(worker, payload, queue)
      outer = SidekiqDelivery.current
      Job.guard(worker.class) if worker.is_a?(Job)
      delivery = outer || inline?(worker) ? :inline : SidekiqDelivery.new(worker, payload, queue)
      SidekiqDelivery.current = delivery
      worker.instance_variable_set(:@twiceproof_delivery, delivery) # for a middleware's own thread
      catch(delivery) { yield } # rubocop:disable Style/ExplicitBlockArgument -- catch gives its block the tag
    rescue UncaughtThrowError => e
      raise unless e.tag.equal?(delivery) # a middleware had it run in a fiber or thread of its own
    ensure
      SidekiqDelivery.current = outer
      worker.instance_variable_set(:@twiceproof_delivery, nil)
    end

    private

    # Newer versions tell a job which processor runs it.
    def inline?(worker)
      worker.respond_to?(:_context) && worker._context.nil?
    end
  end
end
