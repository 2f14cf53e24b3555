# frozen_string_literal: true

require "json"
require_relative "delivery"
require_relative "job_ending"
require_relative "sidekiq_middleware"

module Twiceproof
  # One call of a guarded job's perform.
  class JobCall
    # What the body is performing now; nil outside of it.
    attr_reader :operation

    def initialize(job, args)
      @job = job
      @args = args
      @settings = job.class.twiceproof_settings
      raise RefusedError, "#{job.class} names no job: write twiceproof \"charge.create\"" unless @settings

      @delivery = SidekiqDelivery.of(job)
      @ending = JobEnding.new(job, @settings, @delivery)
    end

    # Its value: what the body returned, or for a repeat the stored result. Nothing is acted when it does not return.
    def run(&body)
      return guarded(&body) unless @settings.in_block?

      value = yield
      raise RefusedError, "perform has not called twiceproof_transaction" unless @called

      value
    end

    # For twiceproof_transaction.
    def transaction(&body)
      raise RefusedError, "job #{@settings.type}: its effect is no row of its own" unless @settings.own_row?
      return yield if @operation # all of perform is the transaction
      raise RefusedError, "twiceproof_transaction is called once: one operation, one transaction" if @called

      @called = true
      guarded { to_its_end(&body) }
    end

    private

    # Rolled back like any body that is left early, but perform would go on, or return, as if all were well. What ends
    # the thread itself needs no error.
    def to_its_end
      settled = false
      value = yield
      settled = true
      value
    rescue Exception # rubocop:disable Lint/RescueException
      settled = true
      raise
    ensure
      raise LeftEarlyError unless settled || Thread.current.status == "aborting"
    end

    def guarded(&body)
      refuse_unfit_arguments
      act = Act.new(@settings.not_applied, body)
      begin
        result = @settings.run(delivery) { |op| within(op) { act.call } }
      rescue BodyError
        raise
      rescue NotStoredError, RefusedError => e
        @ending.not_stored(e)
      end
      @ending.of(result, act)
    end

    # They would not come into perform, so nothing is claimed for them: nobody need ask what they did.
    def refuse_unfit_arguments
      perform = @job.method(:perform)
      perform = perform.super_method while perform&.owner == Job::Guarded
      kinds = perform ? perform.parameters.map(&:first) : [:rest]
      least = kinds.count(:req)
      fit = least..(kinds.include?(:rest) ? nil : least + kinds.count(:opt))
      return if fit.cover?(@args.size) || (kinds & %i[key keyreq keyrest]).any?

      raise ArgumentError, "wrong number of arguments (given #{@args.size}, perform takes #{fit})"
    end

    def within(operation)
      @operation = operation
      yield
    ensure
      @operation = nil
    end

    def delivery
      Delivery.new(fields: fields, body: @args, message: @delivery&.message)
    end

    # A tenant may stand beside the arguments. Without a worker nothing does, so a key that names it is refused.
    def fields
      @delivery ? {"args" => @delivery.wrapped || plain, "job" => @delivery.job} : {"args" => plain}
    end

    # As they would be on a queue.
    def plain
      return ::ActiveJob::Arguments.serialize(@args) if @job.respond_to?(:provider_job_id)

      JSON.parse(JSON.generate(@args))
    end
  end

  # The body of one delivery, and what came of it.
  class Act
    attr_reader :value, :error

    def initialize(not_applied, body)
      @not_applied = not_applied
      @body = body
    end

    def call
      @entered = true
      @value = @body.call
      @returned = true
    rescue *@not_applied => e
      @error = e
      raise NotApplied, e.message
    rescue StandardError => e
      @error = e
      raise
    end

    def entered?
      @entered
    end

    def returned?
      @returned
    end
  end
end
