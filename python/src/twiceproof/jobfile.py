"""twiceproof.yaml: read whole or refused whole, every problem at its line, no field silently ignored."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from .duration import DurationError, parse_duration
from .job import Effect, Job, Operation, StaleClaim
from .path import Path, PathError
from .yamlnodes import MAX_BYTES, Fault, JobFileError, Node, read_document

DEFAULT_TABLE = "idempotency_records"


@dataclass(frozen=True)
class JobFile:
    """A job file that has been read and found sound."""

    path: str
    table: str
    jobs: tuple[Job, ...]

    def job(self, job_type: str = "") -> Job:
        """One job of the file. An empty type means the only one."""
        for j in self.jobs:
            if j.type == job_type or (not job_type and len(self.jobs) == 1):
                return j
        types = [j.type for j in self.jobs]
        hint = "it has " + ", ".join(types)
        if not job_type:
            raise JobFileError([Fault(self.path, 0, "has several jobs and none is named", hint)])
        near = nearest(job_type, types)
        hint = f"did you mean {near}?" if near else hint
        raise JobFileError([Fault(self.path, 0, f'has no job "{job_type}"', hint)])


def load(path: str | os.PathLike[str]) -> JobFile:
    """Reads a job file. The error lists every problem in it."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise JobFileError([Fault(name, 0, f"cannot be read: {error.strerror}", "check the path")]) from error
    return parse(name, data)


def parse(name: str, data: bytes | str) -> JobFile:
    """Reads the text of a job file; the name is for its errors."""
    root = read_document(name, data.encode() if isinstance(data, str) else data)
    reader = _Reader(name)
    if root.kind != "mapping":
        what = f"the file must start with names, but {KINDS[root.kind]} stands here"
        raise JobFileError([Fault(name, root.line, what, "start with version: 1")])
    written = reader.structure(root, "", FILE)
    table = written.get("table", DEFAULT_TABLE)
    jobs = tuple(_job(name, fields) for name, fields in written.get("jobs", {}).items())
    reader.check_version(written.get("version", 0))
    reader.check_table(table)
    for job in jobs:
        reader.check_job(job)
    if reader.faults:
        raise JobFileError(reader.faults)
    return JobFile(name, table, jobs)


def _job(job_type: str, written: Mapping[str, Any]) -> Job:
    parts = {"operation": Operation, "effect": Effect, "stale_claim": StaleClaim}
    made = {k: parts[k](**v) if k in parts else v for k, v in written.items()}
    return Job(type=job_type, **made)


class _Reader:
    """Puts nodes into mappings and keeps every problem with its place."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.lines: dict[str, int] = {"": 1}  # of each field that was written
        self.bad: set[str] = set()  # fields that have been reported

    def fail(self, line: int, field: str, what: str, hint: str) -> None:
        self.bad.add(field)
        self.faults.append(Fault(self.file, line, what, hint))

    def fail_field(self, field: str, what: str, hint: str) -> None:
        """At the line of the field, or else of the field around it."""
        at = next(f for f in _outwards(field) if f in self.lines)
        self.fail(self.lines[at], field, what, hint)

    def value(self, node: Node, field: str, read: Read) -> Any:
        """None when it was refused, and so reported."""
        try:
            _check_plain(node, field)
            return read(self, node, field)
        except _Wrong as wrong:
            self.fail(node.line, field, wrong.what, wrong.hint)
            return None

    def structure(self, node: Node, field: str, members: Mapping[str, Read]) -> dict[str, Any]:
        read: dict[str, Any] = {}
        for key, name, value in self.entries(node, field):
            at = _under(field, name)
            if name not in members:
                self.unknown(key, field, name, list(members))
                continue
            self.lines[at] = key.line
            found = self.value(value, at, members[name])
            if found is not None:
                read[name] = found
        if members is FILE and not read.get("jobs") and "jobs" not in self.bad:
            what = "jobs is empty" if "jobs" in self.lines else "jobs is missing"
            self.fail_field("jobs", what, "name each job by what it does, such as charge.create, under jobs")
        return read

    def entries(self, node: Node, field: str) -> list[tuple[Node, str, Node]]:
        """The names and values of a mapping; a name that is none, or is there twice, is reported."""
        found: dict[str, tuple[Node, str, Node]] = {}
        for key, value in node.pairs:
            if key.kind != "text" or not key.text or key.text == "<<":
                what, hint = (
                    "a name must be a text, and not empty",
                    "put the name in quotes, and write anchors and merges out",
                )
                self.fail(key.line, field, what, hint)
            elif key.text in found:
                what = f"field {key.text} stands here again, first on line {found[key.text][0].line}"
                raise JobFileError([Fault(self.file, key.line, what, "keep one of the two")])
            else:
                found[key.text] = (key, key.text, value)
        return list(found.values())

    def unknown(self, key: Node, field: str, name: str, known: list[str]) -> None:
        hint = "known here: " + ", ".join(known)
        if near := nearest(name, known):
            hint = f"did you mean {near}?"
            self.bad.add(_under(field, near))  # that it is absent is no second problem
        self.fail(key.line, _under(field, name), f"unknown field {name}", hint)

    def check_version(self, version: int) -> None:
        if "version" in self.bad or version == 1:
            return
        if "version" not in self.lines:
            self.fail_field("version", "version is missing", "start with version: 1")
        else:
            self.fail_field("version", f"version {version} is not known", "this twiceproof reads version: 1")

    def check_table(self, table: str) -> None:
        if "table" not in self.bad and not re.fullmatch("[A-Za-z_][A-Za-z0-9_]{0,62}", table):
            hint = "write up to 63 ASCII letters, digits and _, not starting with a digit, such as idempotency_records"
            self.fail_field("table", f'table is no plain name: "{table}"', hint)

    def check_job(self, job: Job) -> None:
        """What is wrong with the job, except in fields that have been reported."""
        for p in job.problems():
            field = ".".join(filter(None, ("jobs", job.type, p.field)))
            if self.bad.isdisjoint(_outwards(field)[:-1]):
                self.fail_field(field, f"{field}: {p.what}", p.hint)


Read = Callable[[_Reader, Node, str], Any]


def _under(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def _outwards(field: str) -> list[str]:
    """The field and those it stands in, the last one being the file."""
    all_ = [field]
    while field:
        field = field[: max(0, field.rfind("."), field.rfind("["))]
        all_.append(field)
    return all_


KINDS = {
    "text": "a text", "integer": "a number", "float": "a number", "boolean": "true or false", "list": "a list",
    "mapping": "names with values", "null": "nothing", "alias": "something else", "tag": "something else",
}  # fmt: skip


class _Wrong(Exception):
    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def _wrong_kind(node: Node, field: str, want: str, hint: str) -> _Wrong:
    return _Wrong(f"{field} must be {want}, but {KINDS[node.kind]} stands here", hint)


def _check_plain(node: Node, field: str) -> None:
    """Refuses an empty value and the parts of YAML that are not read."""
    if node.kind == "null":
        raise _Wrong(f"{field} has no value", "write a value, or leave the line out")
    if node.kind == "alias":
        raise _Wrong(f"{field} uses an anchor or alias, which is not read", "write the value out")
    if node.kind == "tag":
        raise _Wrong(f"{field} uses a tag, which is not read", "leave the ! out, or quote the text")


def _text(_: _Reader, node: Node, field: str, want: str = "a text") -> str:
    if node.kind != "text":
        scalar = node.kind in ("integer", "float", "boolean")
        raise _wrong_kind(node, field, want, "put it in quotes" if scalar else f"write {want}")
    if "\0" in node.text:
        raise _Wrong(f"{field} holds a NUL character", "remove it")
    return node.text


def _duration(_: _Reader, node: Node, field: str) -> timedelta:
    if node.kind not in ("text", "integer", "float"):
        raise _wrong_kind(node, field, "a duration", "write one such as 90s, 2m or 45d")
    try:
        return parse_duration(node.text)
    except DurationError as error:
        raise _Wrong(f'{field} {error.what}: "{node.text}"', error.hint) from None


def _number(_: _Reader, node: Node, field: str) -> int:
    if node.kind != "integer":
        raise _wrong_kind(node, field, "a whole number", "write digits without quotes")
    if not re.fullmatch("[-+]?[0-9]{1,10}", node.text) or not -(2**31) <= int(node.text) < 2**31:
        raise _Wrong(f"{field} is no whole number of ordinary size", "write plain decimal digits")
    return int(node.text)


def _boolean(_: _Reader, node: Node, field: str) -> bool:
    if node.kind != "boolean":
        raise _wrong_kind(node, field, "true or false", "write true or false, without quotes")
    return node.text.lower() == "true"


def _path(r: _Reader, node: Node, field: str) -> Path:
    try:
        return Path.parse(_text(r, node, field, "a path such as kwargs.order_id"))
    except PathError as error:
        raise _Wrong(f"{field}: {error}", error.hint) from None


def _paths(r: _Reader, node: Node, field: str) -> tuple[Path, ...]:
    if node.kind != "list":
        hint = 'write it in brackets or with a dash before each item; quote an item that has brackets, such as ["args[0]"]'
        raise _wrong_kind(node, field, "a list", hint)
    names = [f"{field}[{i}]" for i in range(len(node.items))]
    r.lines.update(zip(names, (item.line for item in node.items)))
    return tuple(r.value(item, at, _path) or Path(()) for item, at in zip(node.items, names))


def _check_mapping(node: Node, field: str) -> None:
    if node.kind != "mapping":
        hint = "write name: value, each on its own line, or {name: value}"
        raise _wrong_kind(node, field, "names with values", hint)


def _struct(members: Mapping[str, Read]) -> Read:
    def read(r: _Reader, node: Node, field: str) -> dict[str, Any]:
        _check_mapping(node, field)
        return r.structure(node, field, members)

    return read


def _jobs(r: _Reader, node: Node, field: str) -> dict[str, Any]:
    _check_mapping(node, field)
    jobs = {}
    for key, name, value in r.entries(node, field):
        r.lines[_under(field, name)] = key.line
        jobs[name] = r.value(value, _under(field, name), _struct(JOB)) or {}
    return jobs


JOB: dict[str, Read] = {
    "queue": _text,
    "message": _text,
    "operation": _struct({"key": _paths, "repeat": _text, "fingerprint": _paths}),
    "effect": _struct({"kind": _text, "what": _text}),
    "longest_run": _duration,
    "lease": _duration,
    "stale_claim": _struct({
        "policy": _text, "settle": _duration, "reference_window": _duration, "max_takeovers": _number, "max_lookups": _number,
    }),
    "store_message": _boolean,
    "retention": _duration,
}  # fmt: skip
FILE: dict[str, Read] = {"version": _number, "table": _text, "jobs": _jobs}


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name that a misspelt one probably means, or nothing."""
    best, distance = "", max(2, len(name.encode()) // 3) + 1
    for k in known:
        d = _edits(_plain(name), _plain(k))
        if d < distance and d < len(k):
            best, distance = k, d
    return best


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _edits(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]
