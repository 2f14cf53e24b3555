"""A path names one value in a message: args[0].id, kwargs.order_id, body["order id"], attributes.tenant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import TwiceproofError

ROOTS = ("body", "attributes", "args", "kwargs")
ABSENT = object()

_BARE = re.compile(r"[A-Za-z0-9_-]*")
_MUST_QUOTE = ("has a character that must be quoted", 'quote the whole name in brackets, such as body["order id"]')
_OPEN = ("has a bracket that is not closed", 'write args[0] or body["order id"]')


class PathError(TwiceproofError, ValueError):
    """A text that is no path, and what to write instead."""

    def __init__(self, text: str, what: str, hint: str) -> None:
        super().__init__(f"path {quoted(text)}: {what}")
        self.what = what
        self.hint = hint


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


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
        return cls(_Parser(text).steps())

    def find(self, fields: Mapping[str, Any]) -> Any:
        """The value, or ABSENT. Under a value that cannot be walked into there is nothing."""
        at: Any = fields
        for step in self.steps:
            at = _into(at, step)
            if at is ABSENT:
                return ABSENT
        return at


def _written(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step and _BARE.fullmatch(step) else f"[{quoted(step)}]"


def _into(value: Any, step: str | int) -> Any:
    if isinstance(step, int):
        return value[step] if isinstance(value, (list, tuple)) and step < len(value) else ABSENT
    return value.get(step, ABSENT) if isinstance(value, Mapping) else ABSENT


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = self.rest = text

    def fail(self, what: str, hint: str) -> PathError:
        return PathError(self.text, what, hint)

    def steps(self) -> tuple[str | int, ...]:
        steps: list[str | int] = [self.root()]
        while self.rest:
            steps.append(self.step())
        self.check(steps)
        return tuple(steps)

    def bare(self) -> str:
        match = _BARE.match(self.rest)
        name = match.group() if match else ""
        self.rest = self.rest[len(name) :]
        return name

    def root(self) -> str:
        if not self.text:
            raise self.fail("is empty", "write a path such as body.order.id or args[0]")
        name = self.bare()
        if name not in ROOTS:
            raise self.fail(
                "does not start with body, attributes, args or kwargs",
                "SQS has body and attributes, Celery args and kwargs, Sidekiq args",
            )
        return name

    def step(self) -> str | int:
        for opening, read in ((".", self.dot_name), ('["', self.quoted_name), ("[", self.index)):
            if self.rest.startswith(opening):
                self.rest = self.rest[len(opening) :]
                return read()
        raise self.fail(*_MUST_QUOTE)

    def dot_name(self) -> str:
        name = self.bare()
        if name:
            return name
        if self.rest[:1] in ("", ".", "["):
            raise self.fail("has no name after a dot", "write a name after each dot, such as body.order.id")
        raise self.fail(*_MUST_QUOTE)

    def quoted_name(self) -> str:
        match = re.match(r'(?:[^"\\]|\\["\\])*', self.rest, re.DOTALL)
        name = match.group() if match else ""
        self.rest = self.rest[len(name) :]
        if self.rest.startswith("\\"):
            raise self.fail(
                "has a backslash before another character than a quote or a backslash",
                "between quotes write \\\\ for a backslash; every other character stands for itself",
            )
        if not self.rest:
            raise self.fail("has a quote that is not closed", 'write body["order id"]')
        self.rest = self.rest[1:]
        self.close()
        return re.sub(r"\\(.)", r"\1", name)

    def close(self) -> None:
        if not self.rest.startswith("]"):
            raise self.fail(*_OPEN)
        self.rest = self.rest[1:]

    def index(self) -> int:
        digits = self.bare()
        if digits and not self.rest.startswith("]"):
            raise self.fail(*_OPEN)
        if not re.fullmatch("[0-9]+", digits):
            raise self.fail(
                "has something else than a number between brackets",
                'write one place, counted from 0, such as args[0]; a name between brackets is quoted, such as body["order id"]',
            )
        if len(digits) > 9:
            raise self.fail("has an index that is too large", "an index has at most 9 digits")
        if len(digits) > 1 and digits[0] == "0":
            raise self.fail("has an index with a leading zero", "write args[1], not args[01]")
        self.rest = self.rest[1:]
        return int(digits)

    def check(self, steps: list[str | int]) -> None:
        """Refuses a path that can never find a value, whatever the message."""
        root, second = steps[0], steps[1] if len(steps) > 1 else None
        if root == "args" and not isinstance(second, int):
            raise self.fail("goes into args without a place", "args is a list: write args[0]")
        if root in ("kwargs", "attributes") and not isinstance(second, str):
            raise self.fail(f"goes into {root} without a name", f"{root} has names: write {root}.order_id")
        if root == "attributes" and len(steps) > 2:
            name = quoted(self.text[len("attributes.") :])
            raise self.fail(
                "goes into an attribute",
                f"an attribute is one plain value; if the dot belongs to its name, quote it: attributes[{name}]",
            )
