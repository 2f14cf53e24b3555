"""What the workers of ../old and ../new do otherwise on SQS: Celery reads it, as CELERY_CONFIG_MODULE names it."""

# Without it a worker deletes the message before it works, and nothing on SQS tells when it has.
task_acks_late = True
# A worker that has work looks so often whether it may ask for more; by default each second.
broker_transport_options = {"polling_interval": 0.1, "wait_time_seconds": 2}
