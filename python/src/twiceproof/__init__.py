"""Twiceproof makes one background job safe to run twice.

A queue delivers a message at least once. The guard gives each business operation one idempotency
record in the application's own database, with a unique key, and uses it as claim, act, complete,
with a written policy for the case that a worker died in between and nobody can tell.
"""

from __future__ import annotations

from .delivery import Delivery, Result
from .duration import parse_duration
from .errors import (
    BodyError,
    DeadlinePassed,
    KeyRefusedError,
    NotApplied,
    NotCommittedError,
    NotStoredError,
    OpenTransactionError,
    RefusedError,
    RenewError,
    TwiceproofError,
    UnfitError,
)
from .guard import Guard
from .job import Effect, Job, Operation, StaleClaim
from .jobfile import JobFile, load, parse
from .message import decode_json, fields_of_sqs
from .path import Path
from .sqs import delivery_of_sqs
from .yamlnodes import JobFileError

__all__ = [
    "BodyError", "DeadlinePassed", "Delivery", "Effect", "Guard", "Job", "JobFile", "JobFileError", "KeyRefusedError",
    "NotApplied", "NotCommittedError", "NotStoredError", "OpenTransactionError", "Operation", "Path", "RefusedError",
    "RenewError", "Result", "StaleClaim", "TwiceproofError", "UnfitError", "decode_json", "delivery_of_sqs", "fields_of_sqs",
    "load", "parse", "parse_duration",
]  # fmt: skip
__version__ = "0.1.0"
