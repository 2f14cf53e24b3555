"""Charges an order once, however often the message comes."""

import math
import os
import signal
import sqlite3

import boto3
import twiceproof

import payments

job = twiceproof.load(os.environ.get("TWICEPROOF_FILE", "twiceproof.yaml")).job("charge.create")
guard = twiceproof.Guard(
    lambda: sqlite3.connect(os.environ["DATABASE_URL"].removeprefix("sqlite://"), timeout=5),
    job,
    look_up=lambda op: payments.charged(op.reference),
)
queue, url = boto3.client("sqs"), os.environ["QUEUE_URL"]
running = True


def stop(*_):
    global running
    running = False


def charge(op):
    op.check()  # not after the lease
    order_id, amount, currency = op.body["order"]["id"], op.body["amount_cents"], op.body["currency"]
    try:
        payments.charge(order_id, amount, currency, op.reference, timeout=min(30, op.remaining))
    except ConnectionRefusedError as error:
        raise twiceproof.NotApplied from error


def work(message):
    handle = message["ReceiptHandle"]
    try:
        result = guard.run(twiceproof.delivery_of_sqs(message), charge)
    except twiceproof.TwiceproofError as error:  # nothing could be stored, or no key: it stays, and comes again
        print("comes again:", error, flush=True)
        return
    if result.acknowledge:
        queue.delete_message(QueueUrl=url, ReceiptHandle=handle)
        return
    print("comes again:", result.outcome, result.error or "", flush=True)
    wait = min(43200, math.ceil(result.retry_after.total_seconds()) + 1)
    queue.change_message_visibility(QueueUrl=url, ReceiptHandle=handle, VisibilityTimeout=wait)


signal.signal(signal.SIGTERM, stop)
while running:
    answer = queue.receive_message(
        QueueUrl=url, WaitTimeSeconds=20, MaxNumberOfMessages=1,
        MessageAttributeNames=["All"], MessageSystemAttributeNames=["MessageGroupId"],
    )  # fmt: skip
    for message in answer.get("Messages", []):
        work(message)
