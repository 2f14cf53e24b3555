"""What the job's body is given: the operation to perform now."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .errors import DeadlinePassed, RenewError


class Operation:
    """key, reference (the same in every attempt), body, and until when to act."""

    def __init__(self, key: str, reference: str, body: Any, deadline: float, renew: Callable[[], None] | None = None) -> None:
        self.key = key
        self.reference = reference
        self.body = body
        self.result: bytes | None = None
        self._deadline = deadline
        self._renew = renew

    @property
    def deadline(self) -> float:
        """When the effect must have been made, by time.monotonic(); renew moves it."""
        return self._deadline

    @property
    def remaining(self) -> float:
        """Seconds until the deadline, at least 0: for the time-out of the call."""
        return max(0.0, self._deadline - time.monotonic())

    def check(self) -> None:
        """To be called just before the effect. Raises when it is too late to act: nothing was applied then."""
        if time.monotonic() >= self._deadline:
            raise DeadlinePassed

    def renew(self) -> None:
        """Makes the claim good for another lease from now.

        For a long act of several steps, called by the job itself between them: a renewal in the
        background would keep a hung job alive for ever. Raises RenewError when it is not granted.
        """
        if self._renew is None:
            raise RenewError("a transaction's claim has nothing to renew")
        self._renew()

    def set_result(self, result: bytes) -> None:
        """What a repeat is answered with. Over 64 KiB it is dropped and logged; it never fails the completion."""
        if not isinstance(result, bytes):
            raise TypeError("a result is bytes")
        self.result = result

    def move_deadline(self, end: float) -> None:
        """For the guard, once the record says so."""
        if time.monotonic() >= self._deadline:
            raise RenewError("the claim's lease is over")
        self._deadline = end
