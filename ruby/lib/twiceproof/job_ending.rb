# frozen_string_literal: true

require_relative "errors"
require_relative "failure"

module Twiceproof
  # What a job does about the guard's result.
  class JobEnding
    LONGEST = 600.0 # seconds for which a delivery is put back
    DATABASE_PAUSE = 10.0

    # delivery is nil when the job was called without a worker.
    def initialize(job, settings, delivery)
      @job = job
      @settings = settings
      @delivery = delivery
    end

    # The value of perform, or what ends it otherwise.
    def of(result, act)
      taken_over(result) if result.taken_over
      return returned(result, act) if act.returned? && %i[completed lost].include?(result.outcome)

      failed(result, act.error || result.error) if act.entered? && result.error && result.outcome != :held
      result.outcome == :completed ? repeat(result) : not_acted(result)
    end

    # The message stays: nothing is known to be in the database.
    def not_stored(error)
      raise error unless @delivery

      lasting(error) if error.is_a?(RefusedError) || (Failure.answered?(error.cause) && !Failure.may_change?(error.cause))
      put_back("nothing could be stored: #{error.message}", DATABASE_PAUSE, nil)
    end

    private

    # With an error the row is there, and what a framework calls after its COMMIT has failed: a person is to know.
    def returned(result, act)
      if result.error
        raise result.error unless @delivery

        @delivery.report(result.error)
      end
      act.value
    end

    # No table, no key, no permission, a transaction left open: it comes back until a person has mended that.
    def lasting(error)
      log(:error, "nothing can be stored until this is mended: #{error.message}")
      @delivery.report(error)
    end

    # The body raised, so its error takes one of Sidekiq's retries: that is the redelivery.
    def failed(result, error)
      log(:error, "no retry is left, the record keeps the case: key #{result.key}, #{result.outcome}") if @delivery&.last?
      raise error
    end

    def not_acted(result)
      case result.outcome
      when :held then hold(result)
      when :mismatch then raise MismatchError, "same key, different content: key #{result.key}"
      end
      why = result.outcome == :live ? "another worker has the claim" : "the claim ended without an effect"
      put_back("#{why}: key #{result.key}", result.retry_after, result)
    end

    def taken_over(result)
      return unless @delivery

      log(:info, "taken over from an attempt in doubt: key #{result.key}, now #{result.outcome}")
      tell("taken_over", result)
    end

    def repeat(result)
      tell("skipped", result) if @delivery
      result.value
    end

    # Neither a success nor a failure: a batch stops here, and no retry is spent on it.
    def hold(result)
      log(:error, "held for a person: key #{result.key}")
      raise NotActedError, "held for a person: key #{result.key}" unless @delivery

      tell("held", result)
      @delivery.leave
    end

    def put_back(reason, delay, result)
      raise NotActedError, reason unless @delivery

      seconds = within(delay)
      @delivery.put_back(seconds)
      log(result ? :info : :warn, format("put back for %<seconds>.1fs: %<reason>s", seconds: seconds, reason: reason))
      tell("put_back", result, countdown: seconds, reason: reason)
      @delivery.leave
    end

    # With jitter, so that what was put back together does not come back together.
    def within(delay)
      [LONGEST, delay + rand(0.1..(1 + (delay / 10.0)))].min.round(3)
    end

    def log(level, what)
      Twiceproof.configuration.logger.public_send(level, "#{@settings.type}: #{what}")
    end

    # ActiveSupport::Notifications, when it is loaded. A subscriber that raises changes nothing.
    def tell(event, result, **more)
      return unless defined?(::ActiveSupport::Notifications)

      given = {job: @job, job_type: @settings.type, message: @delivery.message, result: result, **more}
      ::ActiveSupport::Notifications.instrument("#{event}.twiceproof", given)
    rescue StandardError => e
      log(:warn, "#{event}: a subscriber failed: #{e.inspect}")
    end
  end
end
