# frozen_string_literal: true

require "net/smtp"

# A receipt, sent by the mail server at SMTP_ADDR (host:port).
module Receipt
  module_function

  def deliver(order_id, to)
    host, port = ENV.fetch("SMTP_ADDR").split(":")
    letter = "From: shop@example.com\r\nTo: #{to}\r\nSubject: Your receipt\r\nX-Order-Id: \"#{order_id}\"\r\n\r\nThank you.\r\n"
    smtp = Net::SMTP.new(host, port.to_i)
    smtp.open_timeout = 5
    smtp.read_timeout = 20
    smtp.start("shop.example.com") { |server| server.send_message(letter, "shop@example.com", to) }
  end
end
