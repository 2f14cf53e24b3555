"""Guarded tasks on Amazon SQS (the replay's endpoint): FIFO queues, dead letters, and the queue's own visibility timeout."""

from __future__ import annotations

import itertools
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

import twiceproof.celery
from broker import Shop, kill_child, until, waits

Open = Callable[..., Shop]
_numbers = itertools.count(1)


class Queue:
    """With one for dead letters beside it, for what was received twice unless a test wants more."""

    def __init__(self, client: Any, url: str, fifo: bool = False, most: int = 2, **attributes: str) -> None:
        self.client = client
        self.name = f"tests{next(_numbers)}" + (".fifo" if fifo else "")
        kind = {"FifoQueue": "true"} if fifo else {}
        self.dead = client.create_queue(QueueName=f"dead-{self.name}", Attributes=kind)["QueueUrl"]
        arn = client.get_queue_attributes(QueueUrl=self.dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        redrive = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": most})
        attributes = {"VisibilityTimeout": "60", "RedrivePolicy": redrive, **kind, **attributes}
        self.url = client.create_queue(QueueName=self.name, Attributes=attributes)["QueueUrl"]
        self.broker = f"sqs://lab:lab@{urlsplit(url).netloc}"

    def left(self, url: str = "") -> int:
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = self.client.get_queue_attributes(QueueUrl=url or self.url, AttributeNames=names)["Attributes"]
        return sum(int(found[name]) for name in names)

    def dead_letters(self) -> int:
        return self.left(self.dead)

    def transport(self, **more: Any) -> dict[str, Any]:
        return {"polling_interval": 0.1, "wait_time_seconds": 1, **more}

    def predefined(self, **more: Any) -> dict[str, Any]:
        queue = {"url": self.url, "access_key_id": "lab", "secret_access_key": "lab"}
        return self.transport(predefined_queues={self.name: queue}, **more)


@pytest.fixture
def queue(sqs: str) -> Iterator[Callable[..., Queue]]:
    boto3 = pytest.importorskip("boto3")
    client = boto3.client("sqs", endpoint_url=sqs, region_name="us-east-1", aws_access_key_id="lab", aws_secret_access_key="lab")
    yield lambda **options: Queue(client, sqs, **options)
    client.close()


@pytest.mark.parametrize("fifo", [True, False])
def test_put_back_keeps_its_group_and_is_no_dead_letter(opened: Open, queue: Callable[..., Queue], fifo: bool) -> None:
    """A copy is a new message of the same group, which nobody has received yet."""
    q = queue(fifo=fifo)
    shop = opened(q.broker, queue=q.name, transport=q.transport(visibility_timeout=1))
    shop.work()
    free = threading.Event()
    shop.till.once("before", 1, waits(free))
    first = shop.send("charge", 1, MessageGroupId="a")
    until(lambda: shop.count("before", 1), "the first delivery")
    second = shop.send("charge", 1, MessageGroupId="b")
    until(lambda: shop.count("put_back", 1) >= 5, "five put backs")
    free.set()
    assert [first.get(timeout=60), second.get(timeout=60)] == [{"charged": 1}] * 2
    assert shop.count("charge", 1) == 1
    assert {told["group"] for told in shop.till.told if told["step"] in ("put_back", "skipped")} == {"b"}
    until(lambda: not q.left(), "an empty queue")
    assert q.dead_letters() == 0


def test_without_the_right_to_send_the_message_becomes_a_dead_letter(opened: Open, queue: Callable[..., Queue]) -> None:
    """The control of the one above: the message itself goes back, and is received too often. The record knows the case."""
    q = queue(fifo=True)
    shop = opened(q.broker, queue=q.name, transport=q.transport(visibility_timeout=1))
    shop.work(write="sqs://lab:lab@127.0.0.1:1")
    free = threading.Event()
    shop.till.once("before", 1, waits(free))
    first = shop.send("charge", 1, MessageGroupId="a")
    until(lambda: shop.count("before", 1), "the first delivery")
    shop.send("charge", 1, MessageGroupId="b")
    until(q.dead_letters, "the dead letter")
    assert "message stays at the broker, no copy could be sent" in shop.logged()
    free.set()
    assert first.get(timeout=60) == {"charged": 1}
    assert shop.count("charge", 1) == 1


def test_a_dead_letters_task_is_pushed_again_in_its_group(opened: Open, queue: Callable[..., Queue]) -> None:
    """Its worker dies each time: SQS gives up, the record does not."""
    q = queue(fifo=True, most=1)
    shop = opened(q.broker, queue=q.name, lease=2, transport=q.transport())
    shop.work()
    shop.till.once("charge", 1, kill_child)
    shop.send("charge", 1, MessageGroupId="a")
    until(q.dead_letters, "the dead letter")
    (message,) = shop.record("message")
    twiceproof.celery.push(shop.app, bytes(message))
    until(lambda: shop.count("taken_over", 1) and not q.left(), "the look-up, and an empty queue")
    assert {told["group"] for told in shop.till.told if told["step"] == "taken_over"} == {"a"}
    assert (shop.record("completion"), shop.count("charge", 1)) == (("found",), 1)


def test_the_queues_own_visibility_timeout(opened: Open, queue: Callable[..., Queue]) -> None:
    """With predefined_queues Celery's own is passed over: what waits for longer than the queue's comes twice."""
    q = queue(most=100, VisibilityTimeout="2")
    transport = q.predefined(visibility_timeout=60)
    shop = opened(q.broker, queue=q.name, lease=3, countdown=4, transport=transport)
    shop.work()
    for task, key in (("old", 1), ("charge", 2)):
        shop.till.once("try", key, lambda told: shop.till.counts.update({("try", told["key"]): -1}))
        shop.send(task, key, 1, "early_not_applied_retry" if task == "charge" else "early_retry")
    until(lambda: shop.count("charge", 1) and shop.count("charge", 2), "both")
    until(lambda: not q.left(), "an empty queue")
    assert sum(told["step"] == "try" and told["key"] == "2" for told in shop.till.told) == 3
    assert shop.count("charge", 2) == 1
    assert shop.count("charge", 1) > 1  # the control
    assert q.dead_letters() == 0


def test_workers_that_stop_with_tasks_in_hand(opened: Open, queue: Callable[..., Queue]) -> None:
    q = queue(most=100, VisibilityTimeout="20")
    shop = opened(q.broker, queue=q.name, prefetch=8, lease=5, transport=q.transport(visibility_timeout=4))
    sent = [shop.send("charge", key) for key in range(10)]
    for stop in range(3):
        worker = shop.work("-P", "prefork", "-c", "1")
        shop.till.once("before", stop, lambda _, pid=worker.pid: os.kill(pid, signal.SIGTERM))  # type: ignore[misc]
        assert worker.wait(60) == 0
    shop.work()
    assert {s.get(timeout=60)["charged"] for s in sent} == set(range(10))
    assert [shop.count("charge", key) for key in range(10)] == [1] * 10
    assert shop.logged().count("Task charge[") > 10 + len(sent)  # each is received, and some have come again
    until(lambda: not q.left(), "an empty queue")
