"""What a guarded task ends in, beside what its body raises."""

from __future__ import annotations

from celery.exceptions import Ignore, Reject

from ..errors import TwiceproofError


class MismatchError(TwiceproofError):
    """The same operation key with other content: the task fails, as with any error of its own."""


class CallError(TwiceproofError, TypeError):
    """Arguments that the task's function does not take: the task fails, as it does without the guard."""


class NotActedError(TwiceproofError):
    """Called without a worker, so that no broker keeps a message: the operation is another's now, or held."""


class PutBack(TwiceproofError):
    """Why a delivery went back on the queue; shown as the reason of its RETRY."""


class KeptAtBroker(Reject, Ignore):  # type: ignore[misc]
    """The message goes back at the broker itself, since no copy of it could be sent.

    A Reject alone would be caught by autoretry_for=(Exception,), which lets only Ignore and Retry pass.
    """
