# frozen_string_literal: true

module Twiceproof
  # ActiveSupport::Notifications, when it is loaded: skipped, put_back, taken_over and held, each with ".twiceproof",
  # job, message and result.
  module Notices
    module_function

    # A subscriber that raises changes nothing.
    def tell(event, **given)
      return unless defined?(::ActiveSupport::Notifications)

      ::ActiveSupport::Notifications.instrument("#{event}.twiceproof", given)
    rescue StandardError => e
      Twiceproof.configuration.logger.warn("#{event}: a subscriber failed: #{e.inspect}")
    end
  end
end
