"""Bringing a claim of ours to its end: look-up, act, completion."""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable
from typing import Any

from .delivery import LOST, Result
from .ending import Attempt, Ending
from .errors import NotApplied, RenewError
from .operation import Operation
from .records import Records
from .resend import raise_not_stored, resend

Act = Callable[[Operation], object]
LookUp = Callable[[Operation], bool]

MAX_RENEWAL = 10  # leases for which one claim can be kept


class Perform(Ending):
    def __init__(self, records: Records, log: logging.Logger, look_up: LookUp | None) -> None:
        super().__init__(records, log)
        self.look_up = look_up

    def perform(self, a: Attempt, act: Act) -> Result:
        if not a.takeover:
            return self.act(a, act)
        if late := _late(a):  # not a release: the earlier attempt's effect may still be out
            return self.give_up(a, late)
        if self.job.policy == "lookup":
            return self._follow_lookup(a, act)
        return self._act_once_more(a, act)  # what may act again was decided at the takeover

    def _follow_lookup(self, a: Attempt, act: Act) -> Result:
        try:
            found = self._ask_outside(a)
        except Exception as error:
            return self.give_up(a, error, look_ups=1)
        except BaseException as error:
            self.give_up(a, error, look_ups=1)
            raise
        self.log.info("%s: taken over: key %s, token %s, found %s", self.job.type, a.op.key, a.claimed.token, found)
        if found:
            return self.complete(a, "found")
        if late := _late(a):  # the answer is too old to act upon
            return self.give_up(a, late)
        return self._act_once_more(a, act)

    def _ask_outside(self, a: Attempt) -> bool:
        found: Any = self.look_up and self.look_up(a.op)
        if not isinstance(found, bool):  # None is no "absent"
            raise TypeError(f"a look-up answers True or False, not {found!r}")
        return found

    def _act_once_more(self, a: Attempt, act: Act) -> Result:
        """Counts the further attempt before it is made."""
        try:
            mine = resend(a.op.deadline, lambda: self.records.act_again(a.claimed, a.acts))
        except Exception as error:
            raise_not_stored("act again", error)
        if not mine:  # nothing was acted, so there is no late finish to record
            return Result(LOST, a.op.key, deadline=a.op.deadline)
        return self.act(a, act)

    def act(self, a: Attempt, act: Act) -> Result:
        """Enters the body, unless the lease has ended on the way to it."""
        if late := _late(a):
            return self.release(a, late)
        try:
            returned(act(a.op))
        except NotApplied as error:
            return self.release(a, error)
        except Exception as error:
            return self.give_up(a, error)
        except BaseException as error:  # its process or thread is to end: nobody can tell what the body did
            self.give_up(a, error)
            raise
        return self.complete(a, "acted")

    def renew(self, a: Attempt, sent: float) -> None:
        """Another lease from now, up to the most that one claim may have."""
        lease = self.job.lease.total_seconds()
        end = time.monotonic() + lease
        if end - sent > MAX_RENEWAL * lease:
            raise RenewError("the claim has been renewed for as long as it may be")
        if a.forgotten is not None and end > a.forgotten:
            raise RenewError("the service may have forgotten the reference by then")
        try:
            mine = resend(a.op.deadline, lambda: self.records.renew(a.claimed))
        except Exception as error:
            raise_not_stored("renew claim", error)
        if not mine:
            raise RenewError("the claim is another worker's")
        a.op.move_deadline(end)


def _late(a: Attempt) -> NotApplied | None:
    try:
        a.op.check()
    except NotApplied as late:
        return late
    return None


def returned(value: object) -> None:
    """A coroutine or generator has not run when it is returned, or not to its end."""
    if inspect.isawaitable(value) or inspect.isgenerator(value) or inspect.isasyncgen(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("the body must have made the effect when it returns; it returned something to wait for")
