"""One hand-over of a message to this worker, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

# Completed: the effect is there. Live: another worker has the claim. Held: it waits for a person.
# Mismatch: same key, other content. Released: definitely not applied. Given up: nobody can tell.
# Lost: the claim was another worker's by the time this one had acted; a second effect may exist.
COMPLETED, LIVE, HELD, MISMATCH = "completed", "live", "held", "mismatch"
RELEASED, GIVEN_UP, LOST = "released", "given_up", "lost"


@dataclass(frozen=True)
class Delivery:
    """fields is the decoded message, from which key and fingerprint are read; body is for the job's own use.

    message is the whole message in the form in which it can be put on the queue again. It is
    stored with the claim unless the job says store_message: false.
    """

    fields: Mapping[str, Any]
    body: Any = None
    message: bytes | None = None

    def __post_init__(self) -> None:
        if self.message is not None and not isinstance(self.message, bytes):
            raise TypeError("a message is bytes, as it can be put on the queue again")


@dataclass(frozen=True)
class Result:
    """For the consumer to act upon. retry_after is how long a redelivery has nothing to do.

    repeat: the operation was completed before this delivery. error: what the body or the look-up
    raised. deadline: the end of this delivery's own claim, by time.monotonic(). taken_over: an
    earlier attempt was in doubt, and this delivery has followed the policy.
    """

    outcome: str
    key: str
    repeat: bool = False
    completion: str = ""
    value: bytes | None = None
    retry_after: timedelta = timedelta(0)
    deadline: float | None = None
    error: BaseException | None = None
    decided: bool = False
    taken_over: bool = False

    @property
    def acknowledge(self) -> bool:
        """The queue may forget the message: the operation is completed, or held with the message in its record."""
        return self.outcome in (COMPLETED, HELD) or (self.outcome == LOST and self.decided)
