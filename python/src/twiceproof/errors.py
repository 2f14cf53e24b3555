"""The errors that the guard raises and takes."""

from __future__ import annotations


class TwiceproofError(Exception):
    """What every error of this package is, but NotApplied."""


class KeyRefusedError(TwiceproofError, ValueError):
    """The message has no usable operation key or fingerprint. Nothing was claimed or acted.

    It never holds the value, so it may be logged.
    """

    def __init__(self, what: str, path: str, why: str) -> None:
        super().__init__(what, path, why)  # as they are: a pool of processes makes the error anew from them
        self.path = path
        self.why = why

    def __str__(self) -> str:
        what, path, why = self.args
        return f"{what}: {path} {WHY[why]}" if path else f"{what}: {WHY[why]}"


class UnfitError(TwiceproofError, ValueError):
    """A text of the job file that cannot be taken, and what to write instead."""

    def __init__(self, what: str, hint: str, text: str = "") -> None:
        super().__init__(f"{text}: {what}" if text else what)
        self.what = what
        self.hint = hint


class NotStoredError(TwiceproofError):
    """Nothing could be stored in the database, or read from it: the message stays on the queue."""


class NotConnectedError(NotStoredError):
    """connect failed with an error that is not the driver's, such as a secret store's."""


class NotCommittedError(NotStoredError):
    """An own row's transaction was surely not committed."""


class BodyError(NotCommittedError):
    """By the body's fault: it had ended the transaction, or swallowed an error that did. The database is well."""


class RefusedError(TwiceproofError):
    """The guard was asked for something that it does not do."""


class OpenTransactionError(RefusedError, NotStoredError):
    """A transaction is open on a connection that must have none. It passes only when the application ends it."""


class RenewError(TwiceproofError):
    """The claim is not good for longer than it was: do not start another step."""


class NotApplied(Exception):
    """Raised by the job's body as proof that the effect did not happen, such as a refused connection.

    The claim is released and the next delivery acts again. Any other exception means that nobody
    can tell. Not for a client that retries inside: its first try may have been applied.
    """

    def __init__(self, cause: object = "no cause given") -> None:
        super().__init__(str(cause))

    def __str__(self) -> str:
        return f"not applied: {self.args[0]}"


class DeadlinePassed(NotApplied):
    """Raised by Operation.check when the claim's lease has ended."""

    def __init__(self, cause: object = "the claim's lease is over") -> None:
        super().__init__(cause)


def cause_of(error: BaseException | None) -> str:
    return "" if error is None else f"{type(error).__name__}: {error}"


# The reasons for refusing a value. They are part of the golden files and the same in every language.
WHY = {
    "no_path": "no path is named",
    "absent": "is absent from the message",
    "null": "is null",
    "empty": "is an empty text",
    "blank": "holds nothing but blank characters",
    "word": "is a word for nothing, such as None or null",
    "float": "is a float; send an integer or a text",
    "boolean": "is a boolean",
    "list": "is a list; name one value in it",
    "object": "is an object; name one value in it",
    "type": "has a type that JSON does not have",
    "not_utf8": "is not valid UTF-8",
    "nul": "holds a NUL character",
    "too_long": "makes a key of more than 255 bytes",
    "infinite": "is a float that is not finite",
}
