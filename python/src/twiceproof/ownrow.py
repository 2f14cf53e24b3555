"""An effect that is a row: claim, effect and completion in one transaction."""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from .claim import CLAIM_ROUNDS, Answer, answer_to, write_decision
from .decide import decide_own_row
from .delivery import COMPLETED, HELD, RELEASED, Delivery, Result
from .driver import busy
from .ending import WRITE_PATIENCE, Ending
from .errors import NotCommittedError, cause_of
from .operation import Operation
from .perform import Act, returned
from .record import Claimed, Record
from .records import Records
from .resend import finish, raise_not_stored, resend
from .transaction import Transaction


class OwnRow:
    def __init__(self, records: Records, ending: Ending, log: logging.Logger) -> None:
        self.records = records
        self.job = records.job
        self.ending = ending
        self.log = log

    def run(self, t: Transaction, c: Claimed, d: Delivery, act: Act) -> Result | Answer:
        """A result, or why nothing was claimed."""
        try:
            return self._run(t, c, d, act)
        finally:
            t.rollback()  # wherever it was interrupted; nothing once it has ended

    def _run(self, t: Transaction, c: Claimed, d: Delivery, act: Act) -> Result | Answer:
        op = Operation(c.key, c.reference, d.body, time.monotonic() + self.job.lease.total_seconds())
        if not self._begin(t, c, op):
            return self._skip(c)
        try:
            returned(act(op))
            op.check()  # too late to commit
        except Exception as error:
            return self._roll_back(t, c, op, error)
        except BaseException as error:
            self._roll_back(t, c, op, error)
            raise
        return self._commit(t, c, op)

    def _begin(self, t: Transaction, c: Claimed, op: Operation) -> bool:
        claimed = False
        try:
            claimed = t.begin(c)
        except Exception as error:
            if not busy(error) and op.remaining:  # MySQL waits for another transaction; the lease may end first
                raise_not_stored("claim operation", error)
        finally:
            if not claimed:
                t.rollback()
        return claimed

    def _roll_back(self, t: Transaction, c: Claimed, op: Operation, cause: BaseException) -> Result:
        """Nothing of a body that did not succeed stays, unless it has committed by itself before it failed."""
        t.rollback()
        held = self._hold_broken_body(c)
        text = "%s: rolled back: key %s, token %s, cause %s, held %s"
        self.log.warning(text, self.job.type, c.key, c.token, cause_of(cause), held)
        return Result(HELD if held else RELEASED, c.key, deadline=op.deadline, error=cause)

    def _commit(self, t: Transaction, c: Claimed, op: Operation) -> Result:
        """The body may have ended the transaction, or swallowed an error that did: caught before anything is acknowledged."""
        value = self.ending.result_of(op)
        try:
            t.commit(c, value)
        except NotCommittedError:
            t.rollback()
            self._hold_broken_body(c)
            raise
        except Exception as error:
            t.rollback()  # SQLite leaves the transaction of a busy COMMIT open
            raise_not_stored("commit: nobody can tell whether it was done", error)
        except BaseException:
            t.rollback()
            raise
        self.log.info("%s: completed: key %s, token %s, acted", self.job.type, c.key, c.token)
        return Result(COMPLETED, c.key, completion="acted", value=value, deadline=op.deadline)

    def _hold_broken_body(self, c: Claimed) -> bool:
        """Held when the body has committed the claim by itself: nobody can tell how much of its effect is there."""
        try:
            held = finish(time.monotonic() + WRITE_PATIENCE, lambda: self._hold_if_ours(c))
        except Exception as error:
            raise_not_stored("read record after a rollback", error)
        if held:
            self.log.error("%s: held, the body ended the guard's transaction: key %s, token %s", self.job.type, c.key, c.token)
        return held

    def _hold_if_ours(self, c: Claimed) -> bool:
        record = self.records.read(c.key)
        ours = record is not None and record.token == c.token
        if ours:
            self.records.hold_own_row(c)
        return ours

    def _skip(self, c: Claimed) -> Answer:
        """No record that can be seen means that another worker's transaction is about to make it."""
        until = time.monotonic() + WRITE_PATIENCE
        try:
            return self._answer(c, until)
        except Exception as error:
            raise_not_stored("read record", error)

    def _answer(self, c: Claimed, until: float) -> Answer:
        record: Record | None = None
        for _ in range(CLAIM_ROUNDS):
            record = resend(until, lambda: self.records.read(c.key))
            if record is None:
                break
            decision = decide_own_row(record, c.print)
            if write_decision(self.records, c, record, decision, until):
                return answer_to(record, decision, False)
        return Answer("live", record, timedelta(seconds=1))
