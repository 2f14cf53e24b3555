"""A verb whose reply was lost is sent again.

That is right for every verb of the record: sent again with the same token it changes nothing
that the first time did not.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from .errors import NotConnectedError, NotStoredError, TwiceproofError
from .failure import may_change, of_driver

T = TypeVar("T")


def resend(until: float, verb: Callable[[], T]) -> T:
    """Ends with an answer, an error that will not change, or when the time to answer is over."""
    pause = 0.02
    while True:
        try:
            return verb()
        except Exception as error:
            left = until - time.monotonic()
            if left <= 0 or not may_change(error):
                raise
        time.sleep(min(left, pause * random.uniform(0.5, 1.5)))
        pause = min(2 * pause, 1)


def interrupted(error: BaseException) -> bool:
    """Raised from outside, such as by a signal, while the guard waited: neither the database's nor ours."""
    return not (of_driver(error) or isinstance(error, (TwiceproofError, OSError)))


def finish(until: float, verb: Callable[[], T]) -> T:
    """resend that an interruption does not end: it goes on when the verb is answered. A second one ends it."""
    stopped: BaseException | None = None
    try:
        return resend(until, verb)
    except BaseException as error:
        if not (interrupted(error) or isinstance(error, NotConnectedError)):
            raise
        stopped = error
    resend(until, verb)
    raise stopped


@contextmanager
def stored(what: str) -> Iterator[None]:
    """Makes NotStoredError of an error of the database; an interruption goes on as it is."""
    try:
        yield
    except Exception as error:
        if isinstance(error, TwiceproofError) or interrupted(error):
            raise
        raise NotStoredError(f"{what}: {error}") from error
