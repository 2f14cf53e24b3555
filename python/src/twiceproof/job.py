"""One job type as its owner wrote it down. Pure: no clock, no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Optional

from .errors import TwiceproofError
from .key import Fingerprint, fingerprint_of, key_of, reference_of
from .path import Path

NOTHING = timedelta(0)
DEFAULT_MAX_TAKEOVERS = 5
DEFAULT_MAX_LOOKUPS = 5
MAX_FIELDS_BYTES = 1000
POLICIES = ("lookup", "resend", "hold", "accept_duplicate", "accept_miss")
ROOTS_OF = {"sqs": ("body", "attributes"), "celery": ("args", "kwargs"), "sidekiq": ("args",)}


@dataclass(frozen=True)
class Operation:
    """How one business operation is recognised."""

    key: tuple[Path, ...] = ()
    repeat: str = ""
    fingerprint: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Effect:
    """The change that the job exists for; kind is own_row or outside."""

    kind: str = ""
    what: str = ""


@dataclass(frozen=True)
class StaleClaim:
    """The written policy for a stale claim; a budget of 0 means 5."""

    policy: str = ""
    settle: timedelta = NOTHING
    reference_window: timedelta = NOTHING
    max_takeovers: int = 0
    max_lookups: int = 0


@dataclass(frozen=True)
class Job:
    """The type is an explicit name, never a class name, so that a renamed class keeps its history."""

    type: str
    queue: str = ""
    message: str = ""
    operation: Operation = field(default_factory=Operation)
    effect: Effect = field(default_factory=Effect)
    longest_run: timedelta = NOTHING
    lease: timedelta = NOTHING
    stale_claim: StaleClaim = field(default_factory=StaleClaim)
    store_message: bool = True
    retention: timedelta = NOTHING

    @property
    def policy(self) -> str:
        return self.stale_claim.policy

    @property
    def stored_lease(self) -> timedelta:
        """Under lookup longer by the settle time: a look-up comes when a late call can be seen."""
        return self.lease + (self.stale_claim.settle if self.policy == "lookup" else NOTHING)

    def key_of(self, fields: Mapping[str, Any]) -> str:
        return key_of(self.operation.key, fields)

    def fingerprint_of(self, fields: Mapping[str, Any]) -> Fingerprint:
        return fingerprint_of(self.operation.fingerprint, fields)

    def reference_of(self, key: str) -> str:
        return reference_of(self.type, key)

    def problems(self) -> list[Problem]:
        """Everything that is wrong with the job."""
        checks = (_names(self), _operation(self), _times(self), _policy(self))
        return [p for found in checks for p in found if p is not None]

    def validate(self) -> None:
        if found := self.problems():
            raise JobError(found)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a job, by the name of its field in the job file."""

    field: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.field}: {self.what}" if self.field else self.what


class JobError(TwiceproofError, ValueError):
    """A job that is not sound."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


Found = list[Optional[Problem]]


def _check(good: bool, at: str, what: str, hint: str) -> Problem | None:
    return None if good else Problem(at, what, hint)


def _one_of(token: str, what: str) -> str:
    return f'"{token}" is no {what}' if token else f"the {what} is missing"


def _names(j: Job) -> Found:
    hint = "name the job by what it does, such as charge.create"
    try:
        length = len(j.type.encode())
    except UnicodeEncodeError:
        length = -1
    return [
        _check(1 <= length <= 64 or length < 0, "", "a job type has 1 to 64 bytes", hint),
        _check(length >= 0 and "\0" not in j.type, "", "a job type is valid UTF-8 without NUL", hint),
        _check(j.queue in ROOTS_OF, "queue", _one_of(j.queue, "queue"), "write sidekiq, celery or sqs"),
        _check(
            j.effect.kind in ("own_row", "outside"),
            "effect.kind",
            _one_of(j.effect.kind, "kind of effect"),
            "write own_row (a row in the application's own database) or outside",
        ),
    ]


def _operation(j: Job) -> Found:
    key, prints = j.operation.key, j.operation.fingerprint
    hint = "name what identifies the business operation, such as kwargs.order_id"
    length = len(",".join(map(str, prints)).encode())
    what = "the list of fields has more than 1000 bytes"
    return [
        _check(bool(key), "operation.key", "no path is named", hint),
        *_paths(j.queue, "operation.key", key),
        *_paths(j.queue, "operation.fingerprint", prints),
        _check(length <= MAX_FIELDS_BYTES, "operation.fingerprint", what, "name fewer fields"),
    ]


def _paths(queue: str, name: str, paths: Sequence[Path]) -> Found:
    roots = ROOTS_OF.get(queue)
    found: Found = []
    for i, path in enumerate(paths):
        at = f"{name}[{i}]"
        if not path.root:
            found.append(Problem(at, "the path is empty", "write a path such as body.order.id or args[0]"))
            continue
        if roots and path.root not in roots:
            hint = "start the path with " + " or ".join(roots)
            found.append(Problem(at, f"a message of {queue} has no {path.root}", hint))
        if path in paths[:i]:
            found.append(Problem(at, f"{path} is named twice", "name each path once"))
    return found


def _times(j: Job) -> Found:
    second = timedelta(seconds=1)
    stored = (
        ("lease", j.lease),
        ("stale_claim.settle", j.stale_claim.settle),
        ("stale_claim.reference_window", j.stale_claim.reference_window),
    )
    return [
        _check(
            j.longest_run > NOTHING,
            "longest_run",
            "the longest normal run time is missing",
            "write how long the job runs at most, such as 40s",
        ),
        _check(j.lease >= second, "lease", "the lease is at least 1s", "write longer than the longest run, such as 2m"),
        _check(
            j.lease > j.longest_run or j.lease < second,
            "lease",
            "the lease must be longer than longest_run",
            "a job that outlives its lease is taken over while it runs; lengthen the lease",
        ),
        _check(
            j.retention == NOTHING or j.retention > j.lease,
            "retention",
            "retention must be longer than the lease",
            "keep records longer than the longest possible redelivery, such as 45d",
        ),
        *(
            _check(not d % timedelta(milliseconds=1), at, "must be whole milliseconds", "the record keeps milliseconds")
            for at, d in stored
        ),
    ]


def _policy(j: Job) -> Found:
    if j.effect.kind == "own_row":
        hint = "leave it out: a killed job's row is rolled back together with its claim"
        return [_check(j.stale_claim == StaleClaim(), "stale_claim", "an own row takes no policy", hint)]
    return _outside(j) if j.effect.kind == "outside" else []


def _outside(j: Job) -> Found:
    s = j.stale_claim
    if s.policy not in POLICIES:
        hint = "write lookup, resend, hold, accept_duplicate or accept_miss"
        return [Problem("stale_claim.policy", _one_of(s.policy, "policy"), hint)]
    negative = "must not be negative"
    return [
        _check(s.max_takeovers >= 0, "stale_claim.max_takeovers", negative, "leave it out for 5"),
        _check(s.max_lookups >= 0, "stale_claim.max_lookups", negative, "leave it out for 5"),
        *_lookup(s),
        _resend(j),
    ]


def _lookup(s: StaleClaim) -> Found:
    if s.policy == "lookup":
        hint = "write how long the service needs until a look-up shows a call, such as 30s"
        return [_check(s.settle > NOTHING, "stale_claim.settle", "lookup needs a settle time", hint)]
    hint = "leave it out, or write policy: lookup"
    return [
        _check(s.settle == NOTHING, "stale_claim.settle", "only lookup has a settle time", hint),
        _check(s.max_lookups <= 0, "stale_claim.max_lookups", "only lookup looks up", hint),
    ]


def _resend(j: Job) -> Problem | None:
    window, at = j.stale_claim.reference_window, "stale_claim.reference_window"
    if j.policy != "resend":
        hint = "leave it out, or write policy: resend"
        return _check(window == NOTHING, at, "only resend has a reference window", hint)
    what = "resend needs a reference window longer than the lease"
    return _check(window > j.lease, at, what, "write how long the service remembers a reference, such as 24h")
