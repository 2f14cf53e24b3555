"""Charges an order. A message that comes twice charges twice."""

import json
import os

import boto3

import payments

queue, url = boto3.client("sqs"), os.environ["QUEUE_URL"]


def work(message):
    body = json.loads(message["Body"])
    payments.charge(body["order"]["id"], body["amount_cents"], body["currency"])
    queue.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])


while True:
    answer = queue.receive_message(QueueUrl=url, WaitTimeSeconds=20, MaxNumberOfMessages=1)
    for message in answer.get("Messages", []):
        try:
            work(message)
        except payments.Refused as error:
            print("comes again:", error, flush=True)
        except OSError as error:
            print("comes again:", error, flush=True)
