# frozen_string_literal: true

require "sidekiq"
require_relative "test_helper"
require_relative "sidekiq_steps"

# What makes two messages one operation, and what does not.
class SidekiqKeysTest < Minitest::Test
  include SidekiqSteps
  make_my_diffs_pretty!

  # An order's number is the charge's key and the mail's.
  def test_two_kinds_of_job_with_one_key
    key = start
    2.times do
      push("ChargeJob", key, "well")
      mail(key, "well")
    end
    till.until("done or put back") { %w[after skipped put_back].sum { |step| till.count(step, key) } >= 4 }

    assert_equal 2, till.count("charge", key)
    %w[charge.create mail.send].each { |job| completed(job, key) }
  end

  # The job's type is its name, whatever its class is called by now.
  def test_a_class_that_was_renamed
    key = start
    push("ChargeJob", key, "well")
    completed("charge.create", key)
    push("RenamedJob", key, "well")
    till.wait("skipped", key)

    assert_equal 1, till.count("charge", key)
  end

  # Each order is of two tenants. A middleware keeps the tenant beside the arguments.
  test_on_each("a tenant beside the arguments") do
    key = start
    texts = %w[one two].map { |tenant| push("TenantJob", key, "well", tenant: tenant) }
    till.wait("after", key, 2)
    %w[one two].zip(texts) do |tenant, text|
      completed("tenant.charge", "#{tenant}/#{key}")
      @world.push_text(text)
      till.wait("skipped", "#{tenant}/#{key}")
    end

    assert_equal 2, till.count("charge", key)
    refused = [{}, {tenant: nil}, {tenant: ""}, {tenant: ["one"]}].map { |more| push("TenantJob", key, "well", **more) }

    assert_equal(["Twiceproof::KeyRefusedError"] * 4, refused.map { |text| error_of(text) })
  end

  # What an application has that keeps its tenants apart.
  class Tenanting
    def initialize(tenant)
      @tenant = tenant
    end

    def call(_class, job, _queue, _pool)
      job["tenant"] ||= @tenant
      yield
    end
  end

  def test_a_tenant_that_a_client_middleware_writes
    key = start
    Sidekiq.configure_client { |config| config.redis = {url: @world.url} }
    %w[one two one].each do |tenant|
      client = Sidekiq::Client.new
      client.middleware { |chain| chain.add(Tenanting, tenant) }
      client.push("class" => "TenantJob", "args" => [key, "well"])
    end
    till.until("ended") { till.count("after", key) + %w[skipped put_back].sum { |step| till.count(step, "one/#{key}") } >= 3 }

    assert_equal 2, till.count("charge", key)
  end

  # The other tenant's charge is missing.
  def test_control_a_key_without_the_tenant_beside_the_arguments
    key = start
    push("ChargeJob", key, "well", tenant: "one")
    completed("charge.create", key)
    push("ChargeJob", key, "well", tenant: "two")
    till.wait("skipped", key)

    assert_equal 1, till.count("charge", key)
  end

  # It is in the copy that is put back, and in the record.
  def test_a_tenant_beside_the_arguments_is_put_back_and_stored
    key, open = held_at("before")
    push("TenantJob", key, "well", tenant: "one")
    till.wait("before", key)
    text = push("TenantJob", key, "well", tenant: "one")
    till.wait("put_back", "one/#{key}")

    assert_equal JSON.parse(text), JSON.parse(@world.waiting("schedule", text)[0][0])
    assert_equal "one", JSON.parse(record("tenant.charge", "one/#{key}", "message")[0])["tenant"]
    open << true
    till.wait("after", key)
    completed("tenant.charge", "one/#{key}")
    @world.due("schedule", text)
    till.wait("skipped", "one/#{key}")

    assert_equal 1, till.count("charge", key)
  end

  # What a job's own serialize adds is within the only argument of ActiveJob's wrapper.
  def test_what_active_job_has_beside_the_arguments
    key = start
    %w[one two one].each { |tenant| mail(key, "well", "TenantMailJob", inner: {"tenant" => tenant}) }
    till.until("ended") { till.count("after", key) + %w[skipped put_back].sum { |step| till.count(step, "one/#{key}") } >= 3 }
    %w[one two].each { |tenant| completed("mail.tenant", "#{tenant}/#{key}") }

    assert_equal 2, till.count("charge", key)
  end

  # Names in another order, spaces, escapes.
  def test_one_message_written_in_several_ways
    key = "#{start}-é"
    push("ChargeJob", key, "well")
    completed("charge.create", key)
    args = %([ "#{key.sub("é", "\\\\u00e9")}" ,"well"])
    @world.push_text(%({ "jid" : "#{SecureRandom.hex(12)}", "args" :#{args},"queue":"default", "class":"ChargeJob"}))
    till.wait("skipped", key)

    assert_equal 1, till.count("charge", key)
  end

  # Composed and decomposed, in another case, with another width, or with a space behind it.
  test_on_each("keys that only look alike") do
    key = start
    alike = ["é", "e\u0301", "É", "e", "\uFF45", "é ", "é\u00a0"].map { |end_of| "#{key}-#{end_of}" }
    alike.each { |each| push("ChargeJob", each, "well") }
    till.until("completed") { alike.all? { |each| record("charge.create", each, "state") == ["completed"] } }

    assert_equal([1] * alike.size, alike.map { |each| till.count("charge", each) })
  end

  # Another amount is refused, and so is a message without a key, before any claim.
  def test_mismatch_and_no_key
    key = start
    push("ChargeJob", key, "well", 5)
    till.wait("after", key)
    other = push("ChargeJob", key, "well", 6)
    none = [nil, "", " ", "\u00a0 ", [], {}, {"a" => nil}, "None", "nil", 1.5, true]
    errors = [other, *none.map { |each| push("ChargeJob", each, "well") }].map { |text| error_of(text) }

    assert_equal ["Twiceproof::MismatchError", *["Twiceproof::KeyRefusedError"] * none.size], errors
    assert_equal 1, till.count("charge", key)
  end

  private

  def completed(job, key)
    till.until("completed") { record(job, key, "state") == ["completed"] }
  end
end
