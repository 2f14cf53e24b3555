"""Reads the scenarios that the guards of every language run, and plays one of them."""

from __future__ import annotations

import queue
import threading
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path as FilePath
from typing import Any

from databases import Database
from faults import Faults, Faulty, Strike
from twiceproof import Delivery, Effect, Guard, Job, NotApplied, Operation, Path, StaleClaim, TwiceproofError, parse_duration
from twiceproof.driver import driver_of

VECTORS = FilePath(__file__).resolve().parents[2] / "vectors"
TIMES = ("claimed_at", "first_claimed_at", "requeued_at", "last_repeat_at")
NOT_HERE = ("sweep", "resolve", "queue")  # what the command does, and no guard


@dataclass
class Scenario:
    name: str
    lines: list[str] = field(default_factory=list)

    @property
    def only(self) -> list[str]:
        return next((line.split()[1:] for line in self.lines if line.startswith("only ")), ["postgres", "mysql", "sqlite"])

    @property
    def for_guards(self) -> bool:
        return not any(line.split()[0] in NOT_HERE for line in self.lines)


def read_scenarios() -> list[Scenario]:
    found: list[Scenario] = []
    for file in sorted(VECTORS.glob("*.txt")):
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("scenario "):
                found.append(Scenario(f"{file.stem}: {line[9:]}"))
            elif line and not line.startswith("#"):
                found[-1].lines.append(line)
    return found


JOB_WORDS = {
    "effect", "policy", "lease", "settle", "max_takeovers", "max_lookups", "reference_window", "fingerprint", "store_message",
}  # fmt: skip


class Panic(BaseException):
    """What ends a process or a thread."""


class Left(BaseException):
    """The scenario is over, and a worker still waits."""


class Worker:
    """One worker at its delivery, in a thread of its own, so that it can be stopped anywhere."""

    def __init__(self, run: Callable[[], Any]) -> None:
        self.words: deque[str] = deque()
        self.result: bytes | None = None
        self._said: queue.Queue[Any] = queue.Queue()
        self._told: queue.Queue[list[str] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._main, args=(run,), daemon=True)
        self._thread.worker = self  # type: ignore[attr-defined]
        self.paused = False

    def _main(self, run: Callable[[], Any]) -> None:
        try:
            said: Any = run()
        except (TwiceproofError, BaseException) as error:
            said = error
        self._said.put(said)

    def start(self, words: list[str]) -> Any:
        self.words.extend(words)
        self._thread.start()
        return self._hear()

    def wake(self, words: list[str] | None) -> Any:
        self._told.put(words)
        return self._hear()

    def _hear(self) -> Any:
        said = self._said.get(timeout=60)
        self.paused = said == "paused"
        return said

    def pause(self) -> None:
        self._said.put("paused")
        told = self._told.get()
        if told is None:
            raise Left
        self.words.extend(told)


def current() -> Worker:
    return threading.current_thread().worker  # type: ignore[attr-defined, no-any-return]


class World:
    """One scenario's own: its job, its workers, its outside service. Its records have a job type of their own."""

    def __init__(self, database: Database, job_type: str) -> None:
        self.database = database
        self.job_type = job_type
        self.faults = Faults(database.dialect, "?" if database.dialect == "sqlite" else "%s")
        self.faults.pause = lambda: current().pause()
        self.workers: dict[str, Worker] = {}
        self.effects: Counter[str] = Counter()
        self.references: dict[str, str] = {}
        self.look_ups = 0
        self.service = "truth"
        self.job: Job | None = None

    def play(self, scenario: Scenario) -> None:
        for line in scenario.lines:
            do, _, want = line.partition(" -> ")
            verb, *words = do.split()
            try:
                got = getattr(self, f"do_{verb}")(words)
                if want:
                    check(got, want.split())
                if verb in ("deliver", "wake"):
                    assert all(s.fired for s in self.faults.strikes), "a fault did not strike"
            except AssertionError as error:
                raise AssertionError(f"{line}: {error}") from None

    def close(self) -> None:
        for worker in self.workers.values():
            if worker.paused:
                worker.wake(None)

    def do_only(self, _: list[str]) -> None:
        pass

    def do_job(self, words: list[str]) -> None:
        given = pairs(words)
        assert given.keys() <= JOB_WORDS, given
        outside = given.get("effect", "outside") == "outside"
        more: dict[str, Any] = {k: parse_duration(given[k]) for k in ("settle", "reference_window") if k in given}
        more.update({k: int(given[k]) for k in ("max_takeovers", "max_lookups") if k in given})
        prints = () if given.get("fingerprint") == "none" else (Path.parse("body.amount"),)
        self.job = Job(
            self.job_type,
            queue="sqs",
            operation=Operation(key=(Path.parse("body.order"),), fingerprint=prints),
            effect=Effect("outside" if outside else "own_row"),
            longest_run=timedelta(seconds=1),
            lease=parse_duration(given.get("lease", "60s")),
            stale_claim=StaleClaim(given["policy"], **more) if outside else StaleClaim(),
            store_message=given.get("store_message") != "off",
        )

    def do_deliver(self, words: list[str]) -> Any:
        name, *rest = words
        given = pairs(rest)
        self.workers[name] = worker = Worker(lambda: self.deliver(name, given))
        return worker.start(rest)

    def do_wake(self, words: list[str]) -> Any:
        return self.workers[words[0]].wake(words[1:])

    def deliver(self, name: str, given: dict[str, str]) -> Any:
        assert self.job
        guard = Guard(lambda: Faulty(self.database.connect(), self.faults), self.job, look_up=self.look_up, worker=name)
        order = given.get("order", "1")
        fields = {"body": {"order": None if order == "null" else order, "amount": int(given.get("amount", 12))}}
        message = b"m" * int(given.get("message_bytes", 20))
        delivery = Delivery(fields, message=message)
        if self.job.effect.kind == "outside":
            try:
                return guard.run(delivery, self.outside)
            finally:
                guard.close()
        connection = Faulty(self.database.application(), self.faults)
        try:
            return guard.run_tx(connection, delivery, lambda op: self.own_row(connection.real, op))
        finally:
            with suppress(Exception):  # some drivers refuse to close what is closed
                connection.close()
            guard.close()

    def outside(self, op: Any) -> None:
        self.body(op, lambda: self.call(op), {})

    def call(self, op: Any) -> None:
        """The outside service: it counts, and sees one reference for an operation."""
        assert self.references.setdefault(op.key, op.reference) == op.reference
        self.effects[op.key] += 1

    def own_row(self, connection: Any, op: Any) -> None:
        driver = driver_of(connection)
        insert = f"INSERT INTO effects (job, item) VALUES ('{self.job_type}', '{op.key}')"
        more = {
            "commits": connection.commit,
            "rolls_back": connection.rollback,
            "begins": lambda: driver.execute(connection, "BEGIN"),
            "swallows": lambda: swallow(lambda: driver.execute(connection, "SELECT * FROM a_table_that_is_not_there")),
        }
        self.body(op, lambda: driver.execute(connection, insert), more)

    def body(self, op: Any, act: Callable[[], Any], more: dict[str, Callable[[], Any]]) -> None:
        does: dict[str, Callable[[], Any]] = {
            "acts": act, "pauses": current().pause, "renews": op.renew, "renew_refused": lambda: not_granted(op),
            "fails": lambda: throw(RuntimeError("time-out")), "refuses": lambda: throw(NotApplied("refused")),
            "panics": lambda: throw(Panic()), "leaves": lambda: throw(SystemExit()), **more,
        }  # fmt: skip
        words = current().words
        while words:
            word, _, value = words.popleft().partition("=")
            if word in does:
                if word == "acts":
                    op.check()
                does[word]()
            elif word == "result":
                op.set_result(value.encode())
            elif word == "result_bytes":
                op.set_result(b"r" * int(value))
            else:
                assert word in ("order", "amount", "message_bytes"), word

    def look_up(self, op: Any) -> bool:
        self.look_ups += 1
        if self.service == "pauses":
            current().pause()
        if self.service == "error":
            raise RuntimeError("no answer")
        if self.service == "panics":
            raise Panic
        return self.service == "found" or (self.service != "absent" and self.effects[op.key] > 0)

    def do_service(self, words: list[str]) -> None:
        self.service = words[0]

    def do_look_ups(self, _: list[str]) -> int:
        return self.look_ups

    def do_effects(self, words: list[str]) -> int:
        key = pairs(words).get("order", "1")
        rows = self.database.execute(f"SELECT COUNT(*) FROM effects WHERE job = '{self.job_type}' AND item = '{key}'")
        return self.effects[key] + int(rows[0][0])

    def do_record(self, words: list[str]) -> dict[str, Any] | None:
        columns = [
            "state", "acts", "given_up", "vanished", "lookups", "policy", "requeues", "claimed_by", "lease_ms", "fingerprint",
            "fingerprint_fields", "message", "result", "completed_at", "completion", "held_at", "hold_reason", "late_finish_at",
        ]  # fmt: skip
        key = pairs(words).get("order", "1")
        where = f"job_type = '{self.job_type}' AND operation_key = '{key}'"
        rows = self.database.execute(f"SELECT {', '.join(columns)} FROM idempotency_records WHERE {where}")
        return dict(zip(columns, rows[0])) if rows else None

    def do_age(self, words: list[str]) -> None:
        by = parse_duration(words[0]) // timedelta(milliseconds=1)
        self.change(", ".join(self.database.older(c, by) for c in TIMES), words[1:])

    def do_left(self, words: list[str]) -> None:
        self.change(self.database.left(parse_duration(words[0]) // timedelta(milliseconds=1)), words[1:])

    def change(self, to: str, words: list[str]) -> None:
        key = pairs(words).get("order", "1")
        self.database.execute(
            f"UPDATE idempotency_records SET {to} WHERE job_type = '{self.job_type}' AND operation_key = '{key}'"
        )

    def do_lose(self, words: list[str]) -> None:
        nth = int(pairs(words).get("nth", 1))
        self.faults.strikes.append(Strike(words[0], words[1], nth))

    def do_refuse(self, words: list[str]) -> None:
        self.faults.strikes.append(Strike(words[0], "refuse"))

    def do_pause(self, words: list[str]) -> None:
        self.faults.strikes.append(Strike(words[0], "pause"))


def pairs(words: list[str]) -> dict[str, str]:
    return dict(w.split("=", 1) for w in words if "=" in w)


def throw(error: BaseException) -> None:
    raise error


def swallow(run: Callable[[], Any]) -> None:
    try:
        run()
    except Exception:
        return
    raise AssertionError("nothing to swallow")


def not_granted(op: Any) -> None:
    try:
        op.renew()
    except TwiceproofError:
        return
    raise AssertionError("renewed")


def check(got: Any, want: list[str]) -> None:
    """Everything that a line does not name is as it usually is: not acknowledged, no repeat."""
    first, given = want[0], pairs(want)
    if isinstance(got, int):
        assert str(got) == first, got
    elif first in ("paused", "none"):
        assert got == (None if first == "none" else "paused"), repr(got)
    elif first == "is":
        check_record(got, given)
    elif first == "error":
        assert isinstance(got, TwiceproofError), repr(got)
    elif first == "raised":
        assert isinstance(got, (Panic, SystemExit)), repr(got)
    else:
        check_result(got, want, given)


def check_record(got: Any, given: dict[str, str]) -> None:
    assert got is not None, "no record"
    for name, want in given.items():
        value = got[name]
        if want == "set":
            assert value is not None, name
            continue
        if isinstance(value, (bytes, memoryview)):
            value = bytes(value).decode()
        value = int(value) if isinstance(value, bool) else value
        assert ("null" if value is None else str(value)) == want, f"{name} is {value}"


def check_result(got: Any, want: list[str], given: dict[str, str]) -> None:
    if isinstance(got, BaseException):
        raise got
    assert (got.outcome, got.acknowledge, got.repeat) == (want[0], "acknowledge" in want, "repeat" in want), repr(got)
    if "completion" in given:
        assert got.completion == given["completion"], repr(got)
    if "value" in given:
        assert (got.value or b"none").decode() == given["value"], repr(got)
    if "value_bytes" in given:
        assert len(got.value) == int(given["value_bytes"]), repr(got)
    if "retry_after" in given:
        low, _, high = given["retry_after"].partition("..")
        assert parse_duration(low) <= got.retry_after <= parse_duration(high or low), repr(got)
