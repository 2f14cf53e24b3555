"""Prints what twiceproof doctor judges of a Celery application to the file descriptor 3.

A fixed list of settings, none of which holds a secret; of the broker's address only the
scheme. Arguments: the application, and the names of its tasks.
"""

import json
import os
import sys

SETTINGS = [
    "broker_connection_retry",
    "task_always_eager",
    "task_default_delivery_mode",
    "task_publish_retry",
    "worker_cancel_long_running_tasks_on_connection_loss",
    "worker_deduplicate_successful_tasks",
    "worker_pool",
    "worker_prefetch_multiplier",
]
OPTIONS = ["visibility_timeout", "confirm_publish"]


def seconds(limit):
    if limit is None:
        return None
    total = getattr(limit, "total_seconds", None)  # a timedelta
    if total is not None:
        return float(total())
    return float(limit) if isinstance(limit, (int, float)) else 0.0  # a date: it does expire


def effective(own, general):
    return general if own is None else own


def task(task, conf):
    either = effective(task.acks_on_failure_or_timeout, conf.task_acks_on_failure_or_timeout)
    retried = getattr(task, "retry_on_worker_lost", False)  # Celery 5.7: by a copy
    return {
        "acks_late": bool(effective(task.acks_late, conf.task_acks_late)),
        "worker_lost": bool(effective(task.reject_on_worker_lost, conf.task_reject_on_worker_lost) or retried),
        "acks_on_timeout": bool(effective(getattr(task, "acks_on_timeout", None), either)),
        "time_limit": seconds(effective(task.time_limit, conf.task_time_limit)),
        "soft_time_limit": seconds(effective(task.soft_time_limit, conf.task_soft_time_limit)),
        "expires": seconds(task.expires),
    }


def plain(value):
    return value if isinstance(value, (bool, int, float, str)) or value is None else str(type(value).__name__)


def read(name, tasks):
    from celery import __version__
    from celery.app.utils import find_app

    app = find_app(name)
    app.loader.import_default_modules()
    app.finalize()
    options = app.conf.broker_transport_options or {}
    broker = app.conf.broker_write_url or app.conf.broker_url or "amqp"
    if isinstance(broker, (list, tuple)):
        broker = broker[0]
    return {
        "version": __version__,
        "broker": str(broker).split(":", 1)[0].split("+", 1)[0],
        "settings": {key: plain(app.conf.get(key)) for key in SETTINGS},
        "options": {key: plain(options[key]) for key in OPTIONS if key in options},
        "tasks": {key: task(app.tasks[key], app.conf) for key in tasks if key in app.tasks},
    }


def main():
    out = os.fdopen(3, "w")
    sys.path.insert(0, os.getcwd())
    try:
        answer = read(sys.argv[1], sys.argv[2:])
    except BaseException as error:  # its text may hold a secret
        answer = {
            "error": type(error).__name__,
            "missing": getattr(error, "name", None) if isinstance(error, ImportError) else None,
        }
    json.dump(answer, out)
    out.flush()
    os._exit(0)  # whatever the application has started meanwhile


main()
