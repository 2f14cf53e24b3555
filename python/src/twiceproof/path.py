"""A path names one value in a message: args[0].id, kwargs.order_id, body["order id"], attributes.tenant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import UnfitError

ROOTS = ("body", "attributes", "args", "kwargs", "headers", "job")
ABSENT = object()

_BARE = r"[A-Za-z0-9_-]+"
_QUOTED = r'\["((?:[^"\\]|\\["\\])*)'
_STEP = re.compile(rf'\.({_BARE})|{_QUOTED}"\]|\[(0|[1-9][0-9]{{0,8}})\]')
_OPEN = ("has a bracket that is not closed", 'write args[0] or body["order id"]')
# What a text begins with that is no step, the first that fits; and what to write instead.
_NO_STEPS = (
    (r"\.([.\[]|\Z)", "has no name after a dot", "write a name after each dot, such as body.order.id"),
    (
        rf'{_QUOTED}\\(?!["\\])',
        "has a backslash before another character than a quote or a backslash",
        "between quotes write \\\\ for a backslash; every other character stands for itself",
    ),
    (rf"{_QUOTED}\Z", "has a quote that is not closed", 'write body["order id"]'),
    (r'\["', *_OPEN),
    (r"\[[0-9]{10,}\]", "has an index that is too large", "an index has at most 9 digits"),
    (r"\[0[0-9]+\]", "has an index with a leading zero", "write args[1], not args[01]"),
    (rf"\[{_BARE}(?![A-Za-z0-9_\]-])", *_OPEN),
    (
        r"\[",
        "has something else than a number between brackets",
        'write one place, counted from 0, such as args[0]; a name between brackets is quoted, such as body["order id"]',
    ),
    ("", "has a character that must be quoted", 'quote the whole name in brackets, such as body["order id"]'),
)


@dataclass(frozen=True)
class Path:
    """Names go into an object, numbers into a list. Two paths with the same steps are equal."""

    steps: tuple[str | int, ...]
    text: str = field(compare=False, repr=False, default="")

    def __post_init__(self) -> None:
        rest = "".join(_written(s) for s in self.steps[1:])
        object.__setattr__(self, "text", f"{self.steps[0]}{rest}" if self.steps else "")

    def __str__(self) -> str:
        return self.text

    @property
    def root(self) -> str:
        return str(self.steps[0]) if self.steps else ""

    @classmethod
    def parse(cls, text: str) -> Path:
        steps = tuple(_steps_of(text))
        if wrong := _never_found(steps, text):
            raise _refused(text, *wrong)
        return cls(steps)

    def find(self, fields: Mapping[str, Any]) -> Any:
        """The value, or ABSENT. Under a value that cannot be walked into there is nothing."""
        at: Any = fields
        for step in self.steps:
            at = _into(at, step)
        return at


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _refused(text: str, what: str, hint: str) -> UnfitError:
    return UnfitError(what, hint, f"path {_quoted(text)}")


def _written(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if re.fullmatch(_BARE, step) else f"[{_quoted(step)}]"


def _into(value: Any, step: str | int) -> Any:
    if isinstance(step, int):
        return value[step] if isinstance(value, (list, tuple)) and step < len(value) else ABSENT
    return value.get(step, ABSENT) if isinstance(value, Mapping) else ABSENT


def _steps_of(text: str) -> Iterator[str | int]:
    root = re.split(r"[^A-Za-z0-9_-]", text, maxsplit=1)[0]
    if not text:
        raise _refused(text, "is empty", "write a path such as body.order.id or args[0]")
    if root not in ROOTS:
        what = "does not start with body, attributes, args, kwargs, headers or job"
        hint = "SQS has body and attributes, Celery args, kwargs and headers, RQ args and kwargs, Sidekiq args and job"
        raise _refused(text, what, hint)
    yield root
    at = len(root)
    while at < len(text):
        step = _STEP.match(text, at)
        if not step:
            raise _refused(text, *next(says for begins, *says in _NO_STEPS if re.match(begins, text[at:])))
        name, quoted, index = step.groups()
        yield int(index) if index else name or re.sub(r"\\(.)", r"\1", quoted)
        at = step.end()


def _never_found(steps: Sequence[str | int], text: str) -> tuple[str, str] | None:
    """Why a path cannot find a value, whatever the message."""
    root, second = steps[0], steps[1] if len(steps) > 1 else None
    if root == "args" and not isinstance(second, int):
        return "goes into args without a place", "args is a list: write args[0]"
    if root in ("kwargs", "attributes", "headers", "job") and not isinstance(second, str):
        return f"goes into {root} without a name", f"{root} has names: write {root}.order_id"
    if root == "attributes" and len(steps) > 2:
        name = _quoted(text[len("attributes.") :])
        hint = f"an attribute is one plain value; if the dot belongs to its name, quote it: attributes[{name}]"
        return "goes into an attribute", hint
    return None
