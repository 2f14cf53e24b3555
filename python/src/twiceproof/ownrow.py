"""An effect that is a row: claim, effect and completion in one transaction."""

from __future__ import annotations

import logging
import time

from .claim import Answer, look
from .delivery import COMPLETED, HELD, RELEASED, Delivery, Result
from .ending import WRITE_PATIENCE, Ending, unless_ending
from .errors import NotCommittedError, cause_of
from .failure import busy
from .operation import Operation
from .perform import Act, body, returned
from .record import Claimed
from .resend import finish, stored
from .transaction import OwnTransaction

log = logging.getLogger("twiceproof")


class OwnRow(Ending):
    def run(self, t: OwnTransaction, c: Claimed, d: Delivery, act: Act) -> Result | Answer:
        """A result, or why nothing was claimed."""
        try:
            try:
                return self._run(t, c, d, act)
            finally:
                t.rollback()  # wherever it was interrupted; nothing once it has ended
        except BaseException:
            t.rollback()  # to its end: a time limit may strike in the first one
            raise

    def _run(self, t: OwnTransaction, c: Claimed, d: Delivery, act: Act) -> Result | Answer:
        op = Operation(c.key, c.reference, d.body, time.monotonic() + self.job.lease.total_seconds())
        if not self._begin(t, c, op):
            with stored("read record"):
                return look(self.records, c, time.monotonic() + WRITE_PATIENCE)
        try:
            returned(body(act, op))
            op.check()  # too late to commit
        except BaseException as error:
            return unless_ending(error, self._roll_back(t, c, op, error))
        return self._commit(t, c, op)

    def _begin(self, t: OwnTransaction, c: Claimed, op: Operation) -> bool:
        with stored("claim operation"):
            try:
                if t.begin(c):
                    return True
            except Exception as error:
                if not busy(error) and op.remaining:  # MySQL waits for another transaction; the lease may end first
                    raise
        t.rollback()
        return False

    def _roll_back(self, t: OwnTransaction, c: Claimed, op: Operation, cause: BaseException) -> Result:
        """Nothing of a body that did not succeed stays, unless it has committed by itself before it failed."""
        t.rollback()
        held = self._hold_broken_body(c)
        text = "%s: rolled back: key %s, token %s, cause %s, held %s"
        log.warning(text, self.job.type, c.key, c.token, cause_of(cause), held)
        return Result(HELD if held else RELEASED, c.key, deadline=op.deadline, error=cause)

    def _commit(self, t: OwnTransaction, c: Claimed, op: Operation) -> Result:
        """The body may have ended the transaction, or swallowed an error that did: caught before anything is acknowledged."""
        value = self.result_of(op)
        with stored("commit: nobody can tell whether it was done"):
            try:
                t.commit(c, value)
            except NotCommittedError:
                t.rollback()
                self._hold_broken_body(c)
                raise
            except Exception as error:
                if t.sealed:
                    raise
                return self._roll_back(t, c, op, error)  # what comes before the seal, such as a session's flush, is the body's
        log.info("%s: completed: key %s, token %s, acted", self.job.type, c.key, c.token)
        return Result(COMPLETED, c.key, completion="acted", value=value, deadline=op.deadline)

    def _hold_broken_body(self, c: Claimed) -> bool:
        """Held when the body has committed the claim by itself: nobody can tell how much of its effect is there."""
        with stored("read record after a rollback"):
            held = finish(time.monotonic() + WRITE_PATIENCE, lambda: self._hold_if_ours(c))
        if held:
            log.error("%s: held, the body ended the guard's transaction: key %s, token %s", self.job.type, c.key, c.token)
        return held

    def _hold_if_ours(self, c: Claimed) -> bool:
        record = self.records.read(c.key)
        ours = record is not None and record.token == c.token
        if ours:
            self.records.hold_own_row(c)
        return ours
