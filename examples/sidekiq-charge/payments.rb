# frozen_string_literal: true

require "json"
require "net/http"

# The payment service, by its HTTP interface.
module Payments
  BASE = URI(ENV.fetch("PAYMENTS_URL"))

  # What the service says no to, or could not say.
  class Refused < StandardError; end

  module_function

  def charge(order_id, amount_cents, currency, reference: nil, timeout: 30)
    request = Net::HTTP::Post.new("/charges", "Content-Type" => "application/json")
    order = {order_id: order_id, amount_cents: amount_cents, currency: currency, reference: reference}.compact
    request.body = JSON.generate(order)
    answer = send_request(request, timeout)
    raise Refused, "charge answered #{answer.code}" unless answer.is_a?(Net::HTTPSuccess)
  end

  # Whether the service has a charge of this reference. Raises when it does not say.
  def charged?(reference)
    answer = send_request(Net::HTTP::Get.new("/charges/#{reference}"), 10)
    return true if answer.is_a?(Net::HTTPSuccess)
    return false if answer.is_a?(Net::HTTPNotFound)

    raise Refused, "look-up answered #{answer.code}"
  end

  # max_retries: Net::HTTP itself sends again what it takes for idempotent.
  def send_request(request, timeout)
    options = {read_timeout: timeout, open_timeout: 5, write_timeout: timeout, max_retries: 0}
    Net::HTTP.start(BASE.host, BASE.port, nil, **options) { |http| http.request(request) }
  end
end
