"""Of YAML only what a settings file needs: one document, no anchors, aliases, merges or tags.

So the readers of other languages see the same. Every problem has its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from .errors import TwiceproofError

MAX_BYTES = 128 << 10
MAX_NESTING = 100


@dataclass(frozen=True)
class Fault:
    """One problem in a file, at its line; line 0 means the whole file."""

    file: str
    line: int
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}" if self.line else f"{self.file}: {self.what}"


class JobFileError(TwiceproofError, ValueError):
    """Every problem in a file, by line."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda f: f.line))
        super().__init__("\n".join(f"{f}\nhint: {f.hint}" for f in self.faults))


@dataclass
class Node:
    """kind: text, integer, float, boolean, null, list, mapping, alias or tag."""

    kind: str
    line: int
    text: str = ""
    items: list[Node] = field(default_factory=list)
    pairs: list[tuple[Node, Node]] = field(default_factory=list)


# As YAML 1.2 and the reader of the other languages resolve a text without quotes.
_PLAIN = (
    ("null", re.compile(r"(?:~|null|Null|NULL)?")),
    ("boolean", re.compile(r"true|True|TRUE|false|False|FALSE")),
    ("integer", re.compile(r"[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)")),
    ("float", re.compile(r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")),
    ("float", re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")),
)  # fmt: skip


def kind_of_plain(text: str) -> str:
    return next((kind for kind, pattern in _PLAIN if pattern.fullmatch(text)), "text")


def read_document(name: str, data: bytes) -> Node:
    """The one document of a file, down to its nodes."""
    text = _text_of(name, data)
    try:
        nodes = _Reader(name, yaml.parse(text, Loader=yaml.SafeLoader)).documents()
    except yaml.YAMLError as error:
        raise JobFileError([_unsound(name, error)]) from None
    if not nodes:
        raise _whole(name, "the file is empty", "start with version: 1")
    if len(nodes) > 1:
        hint = "write one document; remove the line ---"
        raise JobFileError([Fault(name, nodes[1].line, "a second document stands here", hint)])
    return nodes[0]


def _whole(name: str, what: str, hint: str, line: int = 0) -> JobFileError:
    return JobFileError([Fault(name, line, what, hint)])


def _text_of(name: str, data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise _whole(name, "is larger than 128 KiB, too large for a settings file", "check the path")
    data = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            raise _whole(name, "is not UTF-8 text", "save the file as UTF-8", number) from None
        if b"\0" in line:
            raise _whole(name, "is not UTF-8 text", "save the file as UTF-8", number)
    return data.decode()


def _unsound(name: str, error: yaml.YAMLError) -> Fault:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or "the text cannot be read as YAML"
    hint = "indent with spaces, and quote a text that has : # { } [ ] or a comma"
    if "expected ',' or" in what:
        hint = 'close the bracket; quote a text that has brackets or braces, such as ["args[0]"] or "{out}/new"'
    if "'\\t'" in what:
        what, hint = "a tab stands in the indentation", "indent with spaces"
    return Fault(name, mark.line + 1 if mark else 0, f"not sound YAML: {what}", hint)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


class _Reader:
    def __init__(self, name: str, events: Iterator[yaml.Event]) -> None:
        self.name = name
        self.events = events
        self.depth = 0

    def documents(self) -> list[Node]:
        found = []
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                node = self.node(next(self.events))
                if node and not (node.kind == "null" and not node.text):
                    found.append(node)
        return found

    def node(self, event: yaml.Event) -> Node | None:
        """The node that begins with the event; None when the event ends a list or mapping."""
        line = _line(event)
        if isinstance(event, yaml.AliasEvent):
            return Node("alias", line)
        if isinstance(event, yaml.ScalarEvent):
            return self.marked(event) or Node(kind_of_plain(event.value) if event.style is None else "text", line, event.value)
        if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            return self.inside(event, line)
        return None

    @staticmethod
    def marked(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> Node | None:
        kind = "alias" if event.anchor else "tag" if event.tag else ""
        return Node(kind, _line(event)) if kind else None

    def inside(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent, line: int) -> Node:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise _whole(self.name, "is nested more than 100 deep", "check the path, and close every bracket")
        items = list(iter(lambda: self.node(next(self.events)), None))
        self.depth -= 1
        if marked := self.marked(event):
            return marked
        nodes = [n for n in items if n is not None]
        if isinstance(event, yaml.SequenceStartEvent):
            return Node("list", line, items=nodes)
        return Node("mapping", line, pairs=list(zip(nodes[::2], nodes[1::2])))
