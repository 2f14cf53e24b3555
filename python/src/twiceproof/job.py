"""One job type as its owner wrote it down. Pure: no clock, no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from .errors import TwiceproofError
from .key import is_utf8
from .path import ROOTS, Path

NOTHING = timedelta(0)
DEFAULT_MAX_TAKEOVERS = 5
DEFAULT_MAX_LOOKUPS = 5
MAX_FIELDS_BYTES = 1000
POLICIES = ("lookup", "resend", "hold", "accept_duplicate", "accept_miss")
ROOTS_OF = {
    "sqs": ("body", "attributes"),
    "celery": ("args", "kwargs", "headers"),
    "rq": ("args", "kwargs"),
    "sidekiq": ("args", "job"),
}


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

    def problems(self) -> list[Problem]:
        """Everything that is wrong with the job."""
        rules = (*_names(self), *_operation(self), *_times(self), *_policy(self))
        return [Problem(at, what, hint) for good, at, what, hint in rules if not good]

    def validate(self) -> None:
        if found := self.problems():
            raise JobError("\n".join(map(str, found)))


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


Rules = list[tuple[bool, str, str, str]]  # whether it is good; a Problem otherwise


def _one_of(token: str, what: str) -> str:
    return f'"{token}" is no {what}' if token else f"the {what} is missing"


def _names(j: Job) -> Rules:
    hint = "name the job by what it does, such as charge.create"
    kinds = "write own_row (a row in the application's own database) or outside"
    return [
        (1 <= len(j.type.encode("utf-8", "surrogatepass")) <= 64, "", "a job type has 1 to 64 bytes", hint),
        (is_utf8(j.type) and "\0" not in j.type, "", "a job type is valid UTF-8 without NUL", hint),
        (j.queue in ROOTS_OF, "queue", _one_of(j.queue, "queue"), "write sidekiq, celery, rq or sqs"),
        (j.effect.kind in ("own_row", "outside"), "effect.kind", _one_of(j.effect.kind, "kind of effect"), kinds),
    ]


def _operation(j: Job) -> Rules:
    key, prints = j.operation.key, j.operation.fingerprint
    hint = "name what identifies the business operation, such as kwargs.order_id"
    length = len(",".join(map(str, prints)).encode())
    what = "the list of fields has more than 1000 bytes"
    return [
        (bool(key), "operation.key", "no path is named", hint),
        *_paths(j.queue, "operation.key", key),
        *_paths(j.queue, "operation.fingerprint", prints),
        (length <= MAX_FIELDS_BYTES, "operation.fingerprint", what, "name fewer fields"),
    ]


def _paths(queue: str, name: str, paths: Sequence[Path]) -> Rules:
    roots = ROOTS_OF.get(queue, ROOTS)
    hint = "start the path with " + " or ".join(roots)
    rules: Rules = []
    for i, path in enumerate(paths):
        at = f"{name}[{i}]"
        rules += [
            (bool(path.root), at, "the path is empty", "write a path such as body.order.id or args[0]"),
            (path.root in ("", *roots), at, f"a message of {queue} has no {path.root}", hint),
            (path not in paths[:i] or not path.root, at, f"{path} is named twice", "name each path once"),
        ]
    return rules


def _times(j: Job) -> Rules:
    second, s = timedelta(seconds=1), j.stale_claim
    how_long = "write how long the job runs at most, such as 40s"
    outlives = "a job that outlives its lease is taken over while it runs; lengthen the lease"
    redelivery = "keep records longer than the longest possible redelivery, such as 45d"
    cut = "the record keeps milliseconds"
    stored = {"lease": j.lease, "stale_claim.settle": s.settle, "stale_claim.reference_window": s.reference_window}
    return [
        (j.longest_run > NOTHING, "longest_run", "the longest normal run time is missing", how_long),
        (j.lease >= second, "lease", "the lease is at least 1s", "write longer than the longest run, such as 2m"),
        (j.lease > j.longest_run or j.lease < second, "lease", "the lease must be longer than longest_run", outlives),
        (not j.retention or j.retention > j.lease, "retention", "retention must be longer than the lease", redelivery),
        *((not d.microseconds % 1000, at, "must be whole milliseconds", cut) for at, d in stored.items()),
    ]


def _policy(j: Job) -> Rules:
    s = j.stale_claim
    if j.effect.kind == "own_row":
        hint = "leave it out: a killed job's row is rolled back together with its claim"
        return [(s == StaleClaim(), "stale_claim", "an own row takes no policy", hint)]
    if j.effect.kind == "outside" and s.policy not in POLICIES:
        hint = "write lookup, resend, hold, accept_duplicate or accept_miss"
        return [(False, "stale_claim.policy", _one_of(s.policy, "policy"), hint)]
    return _outside(j) if j.effect.kind == "outside" else []


def _outside(j: Job) -> Rules:
    s, lookup, resend = j.stale_claim, j.policy == "lookup", j.policy == "resend"
    takeovers, lookups = "stale_claim.max_takeovers", "stale_claim.max_lookups"
    settle, window = "stale_claim.settle", "stale_claim.reference_window"
    shown = "write how long the service needs until a look-up shows a call, such as 30s"
    longer = "resend needs a reference window longer than the lease"
    remembers = "write how long the service remembers a reference, such as 24h"
    return [
        (s.max_takeovers >= 0, takeovers, "must not be negative", "leave it out for 5"),
        (s.max_lookups >= 0, lookups, "must not be negative", "leave it out for 5"),
        (s.settle > NOTHING or not lookup, settle, "lookup needs a settle time", shown),
        (lookup or not s.settle, settle, "only lookup has a settle time", "leave it out, or write policy: lookup"),
        (lookup or s.max_lookups <= 0, lookups, "only lookup looks up", "leave it out, or write policy: lookup"),
        (s.reference_window > j.lease or not resend, window, longer, remembers),
        (resend or not s.reference_window, window, "only resend has a reference window", "leave it out, or write policy: resend"),
    ]
