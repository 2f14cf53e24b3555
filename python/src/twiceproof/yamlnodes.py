"""Of YAML only what a settings file needs: one document, no anchors, aliases, merges or tags.

So the readers of other languages see the same. Every problem has its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from .errors import TwiceproofError

MAX_BYTES = 128 << 10


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

    def __init__(self, *faults: Fault) -> None:
        self.faults = tuple(sorted(faults, key=lambda f: f.line))
        super().__init__("\n".join(f"{f}\nhint: {f.hint}" for f in self.faults))


class _Loader(yaml.SafeLoader):
    """Makes nodes whose tag says what a text without quotes is in YAML 1.2, or what is not read here."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - without those of YAML 1.1, in which yes is true

    def compose_node(self, parent: Any, index: Any) -> Any:
        parser: Any = self
        event = parser.peek_event()
        if isinstance(event, yaml.AliasEvent):
            parser.get_event()
            return yaml.ScalarNode("alias", "", event.start_mark, event.end_mark)  # type: ignore[arg-type]
        anchor, event.anchor = event.anchor, None
        node: Any = super().compose_node(parent, index)
        if anchor or event.tag:
            node.tag = "alias" if anchor else "tag"
        return node


for _tag, _pattern in (
    ("null", r"(?:~|null|Null|NULL)?"),
    ("boolean", r"true|True|TRUE|false|False|FALSE"),
    ("integer", r"[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"),
):
    _Loader.add_implicit_resolver(_tag, re.compile(rf"(?:{_pattern})\Z"), [None])


def line_of(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def read_document(name: str, data: bytes) -> yaml.Node:
    """The one document of a file, down to its nodes."""
    text = _text_of(name, data)
    try:
        nodes = [n for n in yaml.compose_all(text, _Loader) if (n.tag, n.value) != ("null", "")]
    except yaml.YAMLError as error:
        raise JobFileError(_unsound(name, error)) from None
    except RecursionError:
        raise JobFileError(Fault(name, 0, "is nested too deep", "check the path, and close every bracket")) from None
    if not nodes:
        raise JobFileError(Fault(name, 0, "the file is empty", "start with version: 1"))
    if len(nodes) > 1:
        hint = "write one document; remove the line ---"
        raise JobFileError(Fault(name, line_of(nodes[1]), "a second document stands here", hint))
    return nodes[0]


def _text_of(name: str, data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise JobFileError(Fault(name, 0, "is larger than 128 KiB, too large for a settings file", "check the path"))
    try:
        text = data.decode("utf-8-sig")
        if "\0" not in text:
            return text
        before = text.partition("\0")[0].count("\n")
    except UnicodeDecodeError as error:
        before = error.object.count(b"\n", 0, error.start)
    raise JobFileError(Fault(name, before + 1, "is not UTF-8 text", "save the file as UTF-8"))


def _unsound(name: str, error: yaml.YAMLError) -> Fault:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or "the text cannot be read as YAML"
    hint = "indent with spaces, and quote a text that has : # { } [ ] or a comma"
    if "expected ',' or" in what:
        hint = 'close the bracket; quote a text that has brackets or braces, such as ["args[0]"] or "{out}/new"'
    if "'\\t'" in what:
        what, hint = "a tab stands in the indentation", "indent with spaces"
    return Fault(name, mark.line + 1 if mark else 0, f"not sound YAML: {what}", hint)
