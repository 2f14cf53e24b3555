"""Who reads, while it is loaded, what each worker has with a value of its own? By whatever way."""

from __future__ import annotations

import os
import posix
import sys
from collections.abc import Callable, Iterator
from typing import Any

_IN_C = {"getenv", "secure_getenv", "environ", "_environ", "__environ"}


class Variables(dict[bytes, bytes]):
    """Stands in for what os.environ and os.environb are views of, and what os.getenv and os.getenvb ask."""

    def __init__(self, plain: dict[bytes, bytes], differing: frozenset[str], meet: Callable[[str], None]) -> None:
        super().__init__(plain)
        self.differing, self.meet = differing, meet

    def read(self, name: Any) -> None:
        text = os.fsdecode(name) if isinstance(name, (str, bytes)) else ""
        if text in self.differing:
            self.meet(f"reads {text}")

    def __getitem__(self, name: bytes) -> bytes:
        self.read(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.read(name)
        return super().__contains__(name)

    def __iter__(self) -> Iterator[bytes]:
        self.meet("reads all variables")
        return super().__iter__()

    def __len__(self) -> int:
        self.meet("reads all variables")
        return super().__len__()


def _named(method: str) -> Any:
    def call(self: Variables, name: Any, *rest: Any) -> Any:
        self.read(name)
        return getattr(dict, method)(self, name, *rest)

    return call


def _of_all(method: str) -> Any:
    def call(self: Variables, *rest: Any) -> Any:
        self.meet("reads all variables")
        return getattr(dict, method)(self, *rest)

    return call


for _method in ("get", "pop", "setdefault"):
    setattr(Variables, _method, _named(_method))
for _method in ("keys", "values", "items", "copy", "popitem", "__repr__", "__eq__", "__or__", "__ror__", "__reversed__"):
    setattr(Variables, _method, _of_all(_method))


class Asked:
    """Stands in for a function that gives each worker another answer. Like that one it is no method where a class has it."""

    def __init__(self, name: str, meet: Callable[[str], None]) -> None:
        self.name, self.plain, self.meet = name, getattr(posix, name), meet
        self.set(self)

    def set(self, function: Callable[..., Any]) -> None:
        setattr(os, self.name, function)
        setattr(posix, self.name, function)

    def __call__(self, *rest: Any) -> Any:
        if sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] not in _KNOW_FORKS:
            self.meet(_ASKED[self.name])
        return self.plain(*rest)


# Of their heap they look whose it is; the key that they draw is between them and their own children.
_KNOW_FORKS = {"multiprocessing", "billiard"}
_ASKED = {"getpid": "asks for the process id", "urandom": "draws a random number"}


class Reads:
    """Notices it until end. What C code reads it tells by the names that are in its file."""

    met = ""

    def __init__(self, differing: frozenset[str], addresses: list[str]) -> None:
        self.addresses = [os.fsencode(name) for name in addresses]
        self.files = mapped()
        self.plain: dict[bytes, bytes] = vars(os.environ)["_data"]
        self.on = True
        self.view(Variables(self.plain, differing, self.meet))
        self.asked = [Asked(name, self.meet) for name in _ASKED]
        sys.addaudithook(self.heard)  # it stays, and has nothing to do after end

    def meet(self, what: str) -> None:
        self.met = self.met or what

    def view(self, data: dict[bytes, bytes]) -> None:
        for environ in (os.environ, os.environb):
            vars(environ)["_data"] = data
        vars(posix)["environ"] = data

    def heard(self, event: str, args: tuple[Any, ...]) -> None:
        if self.on and event == "ctypes.dlsym" and args[1] in _IN_C:
            self.meet(f"reads variables by ctypes ({args[1]})")

    def in_c(self) -> str:
        """The first address that is named in what has been mapped since the last time."""
        for file in sorted(mapped() - self.files):
            self.files.add(file)
            with open(file, "rb") as opened:
                text = opened.read()
            for name in self.addresses:
                if name in text:
                    return f"may read {os.fsdecode(name)}, which is named in {os.path.basename(file)}"
        return ""

    def end(self) -> None:
        self.on = False
        for function in self.asked:
            function.set(function.plain)
        now = vars(os.environ)["_data"]
        changed = dict(dict.items(now))
        self.plain.clear()
        self.plain.update(changed)
        self.view(self.plain)


def mapped() -> set[str]:
    with open("/proc/self/maps") as file:
        paths = {line.split(maxsplit=5)[-1].rstrip("\n") for line in file}
    return {path for path in paths if path.startswith("/") and os.path.isfile(path)}
