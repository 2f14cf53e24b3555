# frozen_string_literal: true

require_relative "configuration"
require_relative "job_call"
require_relative "job_settings"

module Twiceproof
  # Sidekiq's jobs, and ActiveJob's on Sidekiq, behind the guard:
  #
  #   class ChargeJob
  #     include Sidekiq::Job
  #     include Twiceproof::Job
  #     twiceproof "charge.create", look_up: ->(op) { CHARGES.find(reference: op.reference).any? }
  #
  #     def perform(order_id, amount_cents)
  #       operation.check
  #       CHARGES.create(order_id, amount_cents, reference: operation.reference)
  #     end
  #   end
  #
  # perform itself is wrapped, not the middleware around it: so the job is guarded however it is called
  # (perform_inline, perform_now, tests), ActiveJob's wrapper is none of its business, and a subclass that has a
  # perform of its own is guarded as well. The middleware only gives what perform is not told: the message.
  module Job
    def self.included(base)
      base.extend(ClassMethods)
      base.prepend(Guarded)
      SidekiqMiddleware.install
    end

    # Again, for a subclass whose perform stands before its parent's guard: its module has it, and the parent's
    # inherited was not called.
    def self.guard(base)
      base.prepend(Guarded) unless base.ancestors.take_while { |above| above != base }.include?(Guarded)
    end

    # For the class.
    module ClassMethods
      # Names the job in the job file. look_up answers whether the effect is there, as Guard.new says. not_applied
      # are the errors that mean, wherever in perform they come from, that the effect is surely not there.
      # application gives the connection as Configuration#application does. transaction: :block leaves it to
      # perform where its own rows' transaction is, by twiceproof_transaction; else it is all of perform.
      def twiceproof(type, **settings)
        @twiceproof_settings = JobSettings.new(type, of: self, **settings)
        twiceproof_settings
      end

      # Asked again at each call: it may have been included below.
      def twiceproof_settings
        if defined?(::Sidekiq::Job::Iterable) && include?(::Sidekiq::Job::Iterable)
          raise RefusedError, "#{name} iterates: it makes many effects under one key; let it push one job for each"
        end

        @twiceproof_settings || (superclass.twiceproof_settings if superclass.respond_to?(:twiceproof_settings))
      end

      def inherited(subclass)
        super
        subclass.prepend(Guarded)
      end

      # A parent may have an inherited of its own that does not call the one above.
      def method_added(name)
        super
        return unless name == :perform

        refuse_alias
        prepend(Guarded)
      end

      private

      # alias_method takes the guarded perform, whose super is the new one: that would call itself for ever.
      def refuse_alias
        guarded = Guarded.instance_method(:perform).source_location
        names = instance_methods(false) + private_instance_methods(false) - [:perform]
        other = names.find { |name| instance_method(name).source_location == guarded } or return
        raise RefusedError, "#{name}: #{other} is an alias of perform, which is replaced, and would call the new one; " \
                            "write what goes around perform into a module, and prepend that"
      end
    end

    # Before perform, in every class of the line.
    module Guarded
      def perform(*args)
        return super if @twiceproof_call # a subclass calls its parent's

        begin
          @twiceproof_call = JobCall.new(self, args)
          @twiceproof_call.run { super }
        ensure
          @twiceproof_call = nil
        end
      end
      ruby2_keywords(:perform)
    end

    # The operation that perform is performing: its key, its reference, and until when to act.
    def operation
      @twiceproof_call&.operation || raise(RefusedError, "no operation is being performed here")
    end

    # The transaction that holds claim, rows and completion; its value is the block's. A delivery that has nothing
    # to do leaves perform here, or gets the stored result when the operation was completed before.
    def twiceproof_transaction(&rows)
      raise RefusedError, "twiceproof_transaction is called within perform" unless @twiceproof_call

      @twiceproof_call.transaction(&rows)
    end
  end
end
