"""The application's own way of putting the job on: python enqueue.py ORDER"""

import json
import os
import sys

import boto3

body = {"order": {"id": sys.argv[1]}, "amount_cents": 1250, "currency": "EUR"}
boto3.client("sqs").send_message(QueueUrl=os.environ["QUEUE_URL"], MessageBody=json.dumps(body))
