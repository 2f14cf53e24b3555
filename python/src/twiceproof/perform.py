"""Bringing a claim of ours to its end: look-up, act, completion."""

from __future__ import annotations

import inspect
import logging
import os
import time
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from .delivery import LOST, Result
from .ending import Attempt, Ending, unless_ending
from .errors import DeadlinePassed, NotApplied, RenewError
from .operation import Operation
from .records import Records
from .resend import resend, stored

T = TypeVar("T")
Act = Callable[[Operation], object]
LookUp = Callable[[Operation], bool]

log = logging.getLogger("twiceproof")
MAX_RENEWAL = 10  # leases for which one claim can be kept


class Perform(Ending):
    def __init__(self, records: Records, look_up: LookUp | None) -> None:
        super().__init__(records)
        self.look_up = look_up

    def perform(self, a: Attempt, act: Act) -> Result:
        if not a.takeover:
            return self.act(a, act)
        if not a.op.remaining:  # not a release: the earlier attempt's effect may still be out
            return self.give_up(a, DeadlinePassed())
        if self.job.policy == "lookup":
            return self._follow_lookup(a, act)
        return self._act_once_more(a, act)  # what may act again was decided at the takeover

    def _follow_lookup(self, a: Attempt, act: Act) -> Result:
        try:
            found = self._ask_outside(a)
        except BaseException as error:
            return unless_ending(error, self.give_up(a, error, look_ups=1))
        log.info("%s: taken over: key %s, token %s, found %s", self.job.type, a.op.key, a.claimed.token, found)
        if found:
            return self.complete(a, "found")
        if not a.op.remaining:  # the answer is too old to act upon
            return self.give_up(a, DeadlinePassed())
        return self._act_once_more(a, act)

    def _ask_outside(self, a: Attempt) -> bool:
        found: Any = self.look_up and body(self.look_up, a.op)
        if not isinstance(found, bool):  # None is no "absent"
            raise TypeError(f"a look-up answers True or False, not {found!r}")
        return found

    def _act_once_more(self, a: Attempt, act: Act) -> Result:
        """Counts the further attempt before it is made."""
        with stored("act again"):
            mine = resend(a.op.deadline, lambda: self.records.act_again(a.claimed, a.acts))
        if not mine:  # nothing was acted, so there is no late finish to record
            return Result(LOST, a.op.key, deadline=a.op.deadline)
        return self.act(a, act)

    def act(self, a: Attempt, act: Act) -> Result:
        """Enters the body, unless the lease has ended on the way to it."""
        try:
            a.op.check()
            returned(body(act, a.op))
        except NotApplied as error:
            return self.release(a, error)
        except BaseException as error:  # nobody can tell what the body did
            return unless_ending(error, self.give_up(a, error))
        return self.complete(a, "acted")

    def renew(self, a: Attempt, sent: float) -> None:
        """Another lease from now, up to the most that one claim may have."""
        lease = self.job.lease.total_seconds()
        end = time.monotonic() + lease
        if end - sent > MAX_RENEWAL * lease:
            raise RenewError("the claim has been renewed for as long as it may be")
        if a.forgotten is not None and end > a.forgotten:
            raise RenewError("the service may have forgotten the reference by then")
        with stored("renew claim"):
            mine = resend(a.op.deadline, lambda: self.records.renew(a.claimed))
        if not mine:
            raise RenewError("the claim is another worker's")
        a.op.move_deadline(end)


def body(call: Callable[[Operation], T], op: Operation) -> T:
    """Calls the job's own code. A child that it forks ends where it leaves it.

    The claim is the parent's, and so are the connections, on which a child would speak in between, and
    the message, which a second worker would acknowledge.
    """
    process, status = os.getpid(), 1
    try:
        value = call(op)
        status = 0
        return value
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
        raise
    except BaseException:
        if os.getpid() != process:
            traceback.print_exc()
        raise
    finally:
        if os.getpid() != process:
            os._exit(status)


def returned(value: object) -> None:
    """A coroutine or generator has not run when it is returned, or not to its end."""
    if inspect.isawaitable(value) or inspect.isgenerator(value) or inspect.isasyncgen(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("the body must have made the effect when it returns; it returned something to wait for")
