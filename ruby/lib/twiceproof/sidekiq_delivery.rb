# frozen_string_literal: true

require "json"
require_relative "as_it_came"
require_relative "interrupts"

module Twiceproof
  # One delivery of a Sidekiq job, as Redis had it.
  class SidekiqDelivery
    # What was for the first hand-over only: a copy does not expire.
    ONCE = %w[at expires_in expiry].freeze
    TRIES = 4
    BY_TIME_ALONE = Gem::Version.new("8.1") # a job with retry_for; before that its number of retries counted, too

    class << self
      # Of the thread, whichever of its fibers asks.
      def current
        Thread.current.thread_variable_get(:twiceproof_delivery)
      end

      def current=(delivery)
        Thread.current.thread_variable_set(:twiceproof_delivery, delivery)
      end

      # The delivery that this job runs for; nil when it was called in another way.
      def of(job)
        found = current || job.instance_variable_get(:@twiceproof_delivery)
        return found.tap(&:refuse_unwritable) if found.is_a?(self) && found.for?(job)

        refuse_unseen(job) unless found
      end

      private

      # Sidekiq has copied its middleware before this one was added.
      def refuse_unseen(job)
        return unless defined?(::Sidekiq::Context)

        jid = job.respond_to?(:provider_job_id) ? job.provider_job_id : (job.jid if job.respond_to?(:jid))
        return unless jid && ::Sidekiq::Context.current[:jid] == jid

        raise RefusedError, "Sidekiq had started before this gem was loaded; require \"twiceproof/sidekiq\" in an initializer"
      end
    end

    # The job as JSON, in the form in which it can be put on its queue again.
    attr_reader :message

    def initialize(worker, payload, queue)
      @worker = worker
      @retries = payload.slice("retry", "retry_count", "retry_for", "failed_at")
      @message, @unwritable = text_of(payload, queue) if worker.is_a?(Job) || payload["wrapped"]
      inner = payload["args"].first if payload["wrapped"]
      @job_id = inner["job_id"] if inner.is_a?(Hash)
    end

    def for?(job)
      job.equal?(@worker) || (!@job_id.nil? && job.respond_to?(:job_id) && job.job_id == @job_id)
    end

    # The whole job, as no middleware has changed it yet.
    def job
      @job ||= JSON.parse(@message)
    end

    # ActiveJob's own arguments, as it has serialized them.
    def wrapped
      job.dig("args", 0, "arguments") if @job_id
    end

    # JSON that Ruby reads and cannot write again (1e400, bytes that are no UTF-8) Sidekiq could not write into
    # its retries either: the job would be lost at its first error. So it goes to the dead set as it came.
    def refuse_unwritable
      return unless @unwritable

      to_set("dead", Time.now.to_f)
      Twiceproof.configuration.logger.error("put into the dead set: its message cannot be written again: #{@unwritable}")
      leave
    end

    # The same job for later, with its id and count of retries. Not by Sidekiq's client, whose middleware
    # (unique jobs, batches) takes it for another job. Once this returns Redis has answered.
    def put_back(seconds)
      to_set("schedule", Time.now.to_f + seconds)
    end

    # To Sidekiq's error handlers, which tell a person.
    def report(error)
      given = {context: "Twiceproof", job: job}
      return ::Sidekiq.default_configuration.handle_exception(error, given) if ::Sidekiq.respond_to?(:default_configuration)

      ::Sidekiq.error_handlers.each { |handler| handler.call(error, given) }
    rescue StandardError => e
      Twiceproof.configuration.logger.warn("an error handler failed: #{e.inspect}")
    end

    # No retry comes when this delivery fails.
    def last?
      return time_is_up? if @retries["retry_for"] && (time_is_up? || BY_TIME_ALONE <= Gem::Version.new(::Sidekiq::VERSION))

      wanted = @retries.fetch("retry", true)
      most = wanted.is_a?(Integer) ? wanted : most_retries
      !wanted || (@retries["retry_count"] || -1) + 1 >= most
    end

    # Ends this delivery, neither done nor failed.
    def leave
      throw self
    end

    private

    def to_set(name, score)
      tries = 0
      begin
        Interrupts.defer { ::Sidekiq.redis { |redis| redis.zadd(name, score.to_s, @message) } }
      rescue StandardError
        raise if (tries += 1) == TRIES

        sleep 0.5
        retry
      end
    end

    # failed_at is in seconds; from Sidekiq 8 on it is an integer, in milliseconds.
    def time_is_up?
      since = @retries.fetch("failed_at") { return false }
      since /= 1000.0 if since.is_a?(Integer)
      since + @retries["retry_for"] < Time.now.to_f
    end

    def most_retries
      options = ::Sidekiq.respond_to?(:default_configuration) ? ::Sidekiq.default_configuration : ::Sidekiq.options
      options[:max_retries] || 25
    end

    # With it, what JSON has against it.
    def text_of(payload, queue)
      job = payload.reject { |name, _| ONCE.include?(name) }.merge("queue" => payload["queue"] || queue)
      JSON.generate(job)
    rescue JSON::JSONError, EncodingError => e
      [AsItCame.text(job), e.message.scrub]
    end
  end
end
