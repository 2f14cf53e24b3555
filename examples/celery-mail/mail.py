"""The receipt, by SMTP."""

import os
import smtplib
from email.message import EmailMessage


def send(order_id, to):
    host, _, port = os.environ["SMTP_ADDR"].rpartition(":")
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "shop@example.com", to, "Your receipt"
    message["X-Order-Id"] = f'"{order_id}"'  # in quotes, since a header loses a space at its end
    message.set_content("Thank you for your order.")
    with smtplib.SMTP(host, int(port), timeout=10) as server:
        server.send_message(message)
