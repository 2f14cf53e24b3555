"""How a claim of ours ends: completed, released, given up or lost."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from .decide import look_up_pause
from .delivery import COMPLETED, GIVEN_UP, LOST, RELEASED, Result
from .errors import cause_of
from .job import NOTHING
from .operation import Operation
from .record import Claimed, Record, new_token
from .records import Records
from .resend import finish, interrupted, stored

T = TypeVar("T")
log = logging.getLogger("twiceproof")

# How long, in seconds, the end of a claim is sent at the least: by the token it is right also after the lease.
WRITE_PATIENCE = 5.0
MAX_RESULT = 64 << 10


@dataclass
class Attempt:
    """A claim of ours on its way from claim to completion.

    forgotten is when the service may have forgotten the reference that an earlier attempt may have sent.
    """

    claimed: Claimed
    op: Operation
    acts: int
    takeover: bool
    look_ups: int
    forgotten: float | None = None


def unless_ending(error: BaseException, result: Result) -> Result:
    """Of what the body raised; where its process or thread is to end, that goes on."""
    if not isinstance(error, Exception):
        raise error
    return result


class Ending:
    def __init__(self, records: Records) -> None:
        self.records = records
        self.job = records.job

    def write(self, a: Attempt, verb: Callable[[], T]) -> T:
        return finish(max(a.op.deadline, time.monotonic() + WRITE_PATIENCE), verb)

    def result_of(self, op: Operation) -> bytes | None:
        if op.result is not None and len(op.result) > MAX_RESULT:
            log.warning("%s: result too long to be stored: key %s, %d bytes", self.job.type, op.key, len(op.result))
            return None
        return op.result

    def complete(self, a: Attempt, completion: str) -> Result:
        """Sent until it is answered: the effect is there, and only this statement says so."""
        value = self.result_of(a.op)
        with stored("complete operation"):
            mine = self.write(a, lambda: self.records.complete(a.claimed, completion, value))
        if not mine:
            return self.lost(a, None)
        log.info("%s: completed: key %s, token %s, %s", self.job.type, a.op.key, a.claimed.token, completion)
        return Result(COMPLETED, a.op.key, completion=completion, value=value, deadline=a.op.deadline)

    def release(self, a: Attempt, cause: BaseException) -> Result:
        """The effect is definitely not there. Unwritten, the end of the lease brings the policy, which is as safe."""
        replacement = new_token()
        self._try("released", a, cause, lambda: self.records.release(a.claimed, replacement))
        return Result(RELEASED, a.op.key, deadline=a.op.deadline, error=cause)

    def give_up(self, a: Attempt, cause: BaseException, look_ups: int = 0) -> Result:
        """Nobody can tell. look_ups is 1 when a look-up gave no answer. Unwritten, the end of the lease does the same."""
        pause = look_up_pause(a.look_ups, self.job) if look_ups else self.job.stale_claim.settle
        mine = self._try("given up", a, cause, lambda: self.records.give_up(a.claimed, pause, look_ups))
        if mine is False:
            result = self.lost(a, cause)
            if result.outcome == LOST:
                return result
        if mine is None:
            pause = timedelta(seconds=a.op.remaining)
        return Result(GIVEN_UP, a.op.key, retry_after=max(NOTHING, pause), deadline=a.op.deadline, error=cause)

    def _try(self, what: str, a: Attempt, cause: BaseException, verb: Callable[[], bool]) -> bool | None:
        """None when it could not be written."""
        done, failed = None, None
        try:
            done = self.write(a, verb)
        except Exception as error:
            if interrupted(error):
                raise
            failed = error
        text = "%s: %s: key %s, token %s, cause %s, error %s"
        log.warning(text, self.job.type, what, a.op.key, a.claimed.token, cause_of(cause), cause_of(failed))
        return done

    def lost(self, a: Attempt, cause: BaseException | None) -> Result:
        """Records that this worker came back after its claim had gone to another, and tells what the record says now.

        One that still shows our own token is not lost: then only the reply of our own write was.
        """
        with stored("record late finish"):
            record = self.write(a, lambda: self._late_finish(a.claimed))
        if record and record.token == a.claimed.token:
            completed = record.state == COMPLETED  # by a person, who left the token
            return Result(COMPLETED if completed else "", a.op.key, deadline=a.op.deadline, error=cause)
        text = "%s: lost claim, a second effect may exist: key %s, token %s, record %s"
        state = record.state if record else "gone"
        log.error(text, self.job.type, a.op.key, a.claimed.token, state)
        decided = state in ("completed", "held")
        return Result(LOST, a.op.key, deadline=a.op.deadline, error=cause, decided=decided)

    def _late_finish(self, c: Claimed) -> Record | None:
        self.records.late_finish(c)
        return self.records.read(c.key)
