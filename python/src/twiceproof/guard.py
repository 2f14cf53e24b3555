"""The guard: each business operation once, by its idempotency record.

Every write after a claim shows the claim's token, and nobody decides by a lock, a clock or the
memory of this process.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace

from .claim import Answer, claim
from .decide import ACT, ASSUME, HOLD, TAKE_OVER
from .delivery import COMPLETED, HELD, MISMATCH, Delivery, Result
from .driver import Connection, in_transaction
from .ending import Attempt
from .errors import OpenTransactionError, RefusedError
from .job import Job
from .key import fingerprint_of, key_of, reference_of
from .operation import Operation
from .own import OwnConnections
from .ownrow import OwnRow
from .perform import Act, LookUp, Perform
from .record import Claimed
from .records import Records
from .resend import stored
from .statements import TABLE
from .transaction import OwnTransaction

log = logging.getLogger("twiceproof")
# In seconds: the claim is sent again for as long as a queue would wait anyway, and no longer than the lease.
CLAIM_PATIENCE = 5.0
MAX_MESSAGE = 4 << 20


class Guard:
    """Runs one job's operations once. Safe for concurrent use, and to be made before a fork."""

    def __init__(
        self,
        connect: Callable[[], Connection],
        job: Job,
        *,
        look_up: LookUp | None = None,
        table: str = TABLE,
        worker: str | None = None,
    ) -> None:
        """connect opens a connection to the application's database that is the guard's own.

        It is set to commit each statement, so that a claim is there before the act. Give it the
        driver's time limits: the guard sends a statement again that fails, but cannot end one that
        waits without end. look_up is needed under the policy lookup: it answers True only for a
        positive "exists, with this reference and this content", and raises when it cannot say.
        The database is not touched before the first delivery.
        """
        job.validate()
        if job.policy == "lookup" and look_up is None:
            raise RefusedError("policy lookup needs look_up")
        self.job = job
        self.own = OwnConnections(connect)
        self.records = Records(self.own, job, table, worker)
        self._perform = Perform(self.records, look_up)
        self._own_row = OwnRow(self.records)

    def run(self, delivery: Delivery, act: Act, *, application: Connection | None = None) -> Result:
        """Performs the operation of one delivery once: claim, act, complete. The effect is outside the database.

        The body's return means that the effect is there. NotApplied means that it is definitely
        not; any other exception, that nobody can tell: an Exception is in the result, any other
        (KeyboardInterrupt, SystemExit …) goes on once the claim is given up. What run itself raises
        means that nothing could be stored: the message stays on the queue. Given the application's
        connection, run refuses to act within its open transaction, which could still roll back what
        the act relies on.
        """
        self._kind("outside", "run_tx")
        if application is not None and in_transaction(application):
            what = "a transaction is open on the application's connection; commit it before an outside effect"
            raise OpenTransactionError(what)
        c = self._prepare(delivery)
        sent = time.monotonic()
        with stored("claim operation"):
            answer = claim(self.records, c, sent + min(CLAIM_PATIENCE, self.job.lease.total_seconds()))
        if answer.decision.next in (ACT, TAKE_OVER):
            result = self._perform.perform(self._attempt(c, answer, delivery, sent), act)
            return replace(result, taken_over=answer.takeover)
        return self._skip(c, answer)

    def run_tx(self, connection: Connection, delivery: Delivery, act: Act) -> Result:
        """Performs the operation of one delivery once, when its effect is rows in the application's own database.

        Claim, effect and completion share one transaction on the application's connection, which
        run_tx begins and commits: everything the body writes goes over it. So a crash leaves nothing,
        no policy is needed, and a second delivery during the act is answered live. The body must not
        commit or roll back. What run_tx raises means that nothing is known to be committed: the
        message stays on the queue, and a redelivery finds out.
        """
        return self.run_in(OwnTransaction(connection, self.records), delivery, act)

    def run_in(self, transaction: OwnTransaction, delivery: Delivery, act: Act) -> Result:
        """run_tx over a transaction that somebody else begins and commits, such as a framework."""
        self._kind("own_row", "run")
        c = self._prepare(delivery)
        answer_or_result = self._own_row.run(transaction, c, delivery, act)
        if isinstance(answer_or_result, Answer):
            return self._skip(c, answer_or_result)
        return answer_or_result

    def close(self) -> None:
        """Closes the guard's own connections that no delivery uses."""
        self.own.close()

    def _kind(self, kind: str, otherwise: str) -> None:
        if self.job.effect.kind != kind:
            raise RefusedError(f"job {self.job.type}: effect {self.job.effect.kind} is guarded by {otherwise}")

    def _prepare(self, d: Delivery) -> Claimed:
        key, print_ = key_of(self.job.operation.key, d.fields), fingerprint_of(self.job.operation.fingerprint, d.fields)
        message = d.message if self.job.store_message else None
        if message is not None and len(message) > MAX_MESSAGE:
            log.warning("%s: message too long to be stored: key %s, %d bytes", self.job.type, key, len(message))
            message = None
        return Claimed(key, print_, reference_of(self.job.type, key), message)

    def _attempt(self, c: Claimed, answer: Answer, d: Delivery, sent: float) -> Attempt:
        """The deadline counts from before the claim was sent, so it ends before the database takes the claim for stale."""
        r = answer.record
        assert r is not None
        deadline = sent + self.job.lease.total_seconds()
        op = Operation(c.key, r.reference or c.reference, d.body, deadline, lambda: self._perform.renew(made, sent))
        made = Attempt(c, op, max(r.acts, 1), answer.takeover, r.lookups)
        if answer.takeover and self.job.policy == "resend":
            left = self.job.stale_claim.reference_window - r.known_for
            made.forgotten = sent + left.total_seconds()
        return made

    def _skip(self, c: Claimed, a: Answer) -> Result:
        """For a delivery that has nothing to do."""
        d, r = a.decision, a.record
        if d.next == MISMATCH:
            log.error("%s: same key, different content: key %s, fields %s", self.job.type, c.key, c.print.fields)
            return Result(MISMATCH, c.key)
        outcome = {ASSUME: COMPLETED, HOLD: HELD}.get(d.next, d.next)
        completion = "assumed" if d.next == ASSUME else r.completion if r else ""
        result = Result(outcome, c.key, retry_after=d.wait, completion=completion)
        if r and d.next == COMPLETED:
            self._count_repeat(c.key, r.repeat_due)
            result = replace(result, repeat=True, value=r.result)
        reason = d.reason or (r.hold_reason if r else "")
        log.info("%s: skipped: %s, key %s, hold reason %s", self.job.type, outcome, c.key, reason)
        return result

    def _count_repeat(self, key: str, due: bool) -> None:
        """At most once a second for an operation, and never sent again: the count is a lower bound."""
        if not due:
            return
        try:
            self.records.repeat(key)
        except Exception as error:
            log.debug("%s: repeat not counted: key %s, error %s", self.job.type, key, error)
