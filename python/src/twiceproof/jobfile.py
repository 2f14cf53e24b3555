"""twiceproof.yaml: read whole or refused whole, every problem at its line, no field silently ignored."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from difflib import get_close_matches
from functools import partial
from typing import Any, get_type_hints

import yaml

from .duration import parse_duration
from .errors import UnfitError
from .job import Job
from .path import Path
from .statements import TABLE
from .yamlnodes import MAX_BYTES, Fault, JobFileError, line_of, read_document


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
        near = nearest(job_type, types)
        what = f'has no job "{job_type}"' if job_type else "has several jobs and none is named"
        raise JobFileError(Fault(self.path, 0, what, f"did you mean {near}?" if near else "it has " + ", ".join(types)))


def load(path: str | os.PathLike[str]) -> JobFile:
    """Reads a job file. The error lists every problem in it."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise JobFileError(Fault(name, 0, f"cannot be read: {error.strerror}", "check the path")) from error
    return parse(name, data)


def parse(name: str, data: bytes | str) -> JobFile:
    """Reads the text of a job file; the name is for its errors."""
    root = read_document(name, data.encode() if isinstance(data, str) else data)
    if root.tag != NAMES:
        what = f"the file must start with names, but {KINDS[root.tag]} stands here"
        raise JobFileError(Fault(name, line_of(root), what, "start with version: 1"))
    reader = _Reader(name)
    file = {"version": 0, "table": TABLE, "jobs": (), **reader.structure(root, "", FILE)}
    reader.check(**file)
    if reader.faults:
        raise JobFileError(*reader.faults)
    return JobFile(name, file["table"], file["jobs"])


def nearest(name: str, known: list[str]) -> str:
    """The known name that a misspelt one probably means, or nothing."""
    return next(iter(get_close_matches(name.lower().replace("-", "_"), known, n=1)), "")


class _Reader:
    """Puts nodes into mappings and keeps every problem with its place."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.lines: dict[str, int] = {"": 1}  # of each field that was written
        self.bad: set[str] = set()  # fields that have been reported

    def fail(self, field: str, what: str, hint: str, line: int = 0) -> None:
        """Where no line is given, at that of the field, or else of the field around it."""
        at = next(f for f in _outwards(field) if f in self.lines)
        self.bad.add(field)
        self.faults.append(Fault(self.file, line or self.lines[at], what, hint))

    def value(self, node: yaml.Node, field: str, read: Read) -> Any:
        """None when it was refused, and so reported."""
        try:
            if node.tag in NOT_READ:
                raise UnfitError(f"{field} {NOT_READ[node.tag][0]}", NOT_READ[node.tag][1])
            return read(self, node, field)
        except UnfitError as wrong:
            self.fail(field, str(wrong), wrong.hint, line_of(node))
            return None

    def structure(self, node: yaml.Node, field: str, members: Mapping[str, Read]) -> dict[str, Any]:
        read: dict[str, Any] = {}
        for name, (key, value) in self.entries(node, field).items():
            at = _under(field, name)
            if name not in members:
                self.unknown(key, field, name, list(members))
                continue
            self.lines[at] = line_of(key)
            found = self.value(value, at, members[name])
            if found is not None:
                read[name] = found
        return read

    def entries(self, node: yaml.Node, field: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        """The values of a mapping by their names; a name that is none is reported, one that is there twice ends it."""
        found: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        how = "write name: value, each on its own line, or {name: value}"
        for key, value in _of_kind(node, field, [NAMES], "names with values", how):
            name = key.value
            if key.tag != TEXT or name in ("", "<<"):
                hint = "put the name in quotes, and write anchors and merges out"
                self.fail(field, "a name must be a text, and not empty", hint, line_of(key))
            elif name in found:
                what = f"field {name} stands here again, first on line {line_of(found[name][0])}"
                raise JobFileError(Fault(self.file, line_of(key), what, "keep one of the two"))
            else:
                found[name] = (key, value)
        return found

    def unknown(self, key: yaml.Node, field: str, name: str, known: list[str]) -> None:
        near = nearest(name, known)
        self.bad.add(_under(field, near or name))  # that the one meant is absent is no second problem
        hint = f"did you mean {near}?" if near else "known here: " + ", ".join(known)
        self.fail(_under(field, name), f"unknown field {name}", hint, line_of(key))

    def check(self, version: int, table: str, jobs: tuple[Job, ...]) -> None:
        """What is wrong with the whole file, except in fields that have been reported."""
        if not jobs and "jobs" not in self.bad:
            what = "jobs is empty" if "jobs" in self.lines else "jobs is missing"
            self.fail("jobs", what, "name each job by what it does, such as charge.create, under jobs")
        if "version" not in self.lines and "version" not in self.bad:
            self.fail("version", "version is missing", "start with version: 1")
        elif version != 1 and "version" not in self.bad:
            self.fail("version", f"version {version} is not known", "this twiceproof reads version: 1")
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]{0,62}", table):
            hint = "write up to 63 ASCII letters, digits and _, not starting with a digit, such as idempotency_records"
            self.fail("table", f'table is no plain name: "{table}"', hint)
        for job in jobs:
            self.check_job(job)

    def check_job(self, job: Job) -> None:
        for p in job.problems():
            field = ".".join(filter(None, ("jobs", job.type, p.field)))
            if self.bad.isdisjoint(_outwards(field)[:-1]):
                self.fail(field, f"{field}: {p.what}", p.hint)


Read = Callable[[_Reader, yaml.Node, str], Any]


def _under(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def _outwards(field: str) -> list[str]:
    """The field and those it stands in, the last one being the file."""
    all_ = [field]
    while field:
        field = field[: max(0, field.rfind("."), field.rfind("["))]
        all_.append(field)
    return all_


TEXT, LIST, NAMES = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))
KINDS = {
    TEXT: "a text", LIST: "a list", NAMES: "names with values", "integer": "a number", "float": "a number",
    "boolean": "true or false", "null": "nothing", "alias": "something else", "tag": "something else",
}  # fmt: skip
NOT_READ = {
    "null": ("has no value", "write a value, or leave the line out"),
    "alias": ("uses an anchor or alias, which is not read", "write the value out"),
    "tag": ("uses a tag, which is not read", "leave the ! out, or quote the text"),
}


def _of_kind(node: yaml.Node, field: str, tags: Collection[str], want: str, hint: str) -> Any:
    if node.tag not in tags:
        raise UnfitError(f"{field} must be {want}, but {KINDS[node.tag]} stands here", hint)
    return node.value


def _text(_: _Reader, node: yaml.Node, field: str, want: str = "a text") -> str:
    hint = "put it in quotes" if node.tag in ("integer", "float", "boolean") else f"write {want}"
    text: str = _of_kind(node, field, [TEXT], want, hint)
    if "\0" in text:
        raise UnfitError(f"{field} holds a NUL character", "remove it")
    return text


def _duration(_: _Reader, node: yaml.Node, field: str) -> timedelta:
    text = _of_kind(node, field, [TEXT, "integer", "float"], "a duration", "write one such as 90s, 2m or 45d")
    try:
        return parse_duration(text)
    except UnfitError as error:
        raise UnfitError(f'{field} {error}: "{text}"', error.hint) from None


def _number(_: _Reader, node: yaml.Node, field: str) -> int:
    text = _of_kind(node, field, ["integer"], "a whole number", "write digits without quotes")
    if not re.fullmatch("[-+]?[0-9]{1,10}", text) or not -(2**31) <= int(text) < 2**31:
        raise UnfitError(f"{field} is no whole number of ordinary size", "write plain decimal digits")
    return int(text)


def _boolean(_: _Reader, node: yaml.Node, field: str) -> bool:
    text: str = _of_kind(node, field, ["boolean"], "true or false", "write true or false, without quotes")
    return text.lower() == "true"


def _path(r: _Reader, node: yaml.Node, field: str) -> Path:
    text = _text(r, node, field, "a path such as kwargs.order_id")
    try:
        return Path.parse(text)
    except UnfitError as error:
        raise UnfitError(f"{field}: {error}", error.hint) from None


def _paths(r: _Reader, node: yaml.Node, field: str) -> tuple[Path, ...]:
    hint = 'write it in brackets or with a dash before each item; quote an item that has brackets, such as ["args[0]"]'
    items = {f"{field}[{i}]": item for i, item in enumerate(_of_kind(node, field, [LIST], "a list", hint))}
    r.lines.update((at, line_of(item)) for at, item in items.items())
    return tuple(r.value(item, at, _path) or Path(()) for at, item in items.items())


def _made(cls: Any, r: _Reader, node: yaml.Node, field: str, **more: Any) -> Any:
    """What the class has fields for, each read by its type."""
    members = {name: READ.get(kind) or partial(_made, kind) for name, kind in get_type_hints(cls).items() if name not in more}
    return cls(**more, **r.structure(node, field, members))


def _jobs(r: _Reader, node: yaml.Node, field: str) -> tuple[Job, ...]:
    jobs = []
    for name, (key, value) in r.entries(node, field).items():
        at = _under(field, name)
        r.lines[at] = line_of(key)
        jobs.append(r.value(value, at, partial(_made, Job, type=name)) or Job(name))
    return tuple(jobs)


READ: dict[Any, Read] = {str: _text, int: _number, bool: _boolean, timedelta: _duration, tuple[Path, ...]: _paths}
FILE: dict[str, Read] = {"version": _number, "table": _text, "jobs": _jobs}
