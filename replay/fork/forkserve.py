"""The server that workers are forked from. It has loaded what is installed, and nothing of the user's own."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import signal
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from forkfind import found, hide, own, start, write
from forkreads import Reads

REQUESTS, ANSWERS = 8, 9  # by which the replay asks, and is answered
_PR_SET_PDEATHSIG = 1


class Guard:
    """Lets nothing of the user's own be loaded."""

    met = ""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = found(name, path, target, self)
        if spec and own(spec):
            self.met = f"loads {name}, which is not installed"
            raise ImportError(self.met, name=name)
        return spec


def serve(folder: str, here: str) -> None:
    """Returns in each worker, and never in the server."""
    try:
        began = start(folder, "server")
        unfit = load(folder)
        changed(folder, here, began)
        answer(f"unfit\t{unfit}" if unfit else "ready")
        with open(REQUESTS, "rb", closefd=False) as requests:
            while size := requests.readline():
                if fork(requests.read(int(size))):
                    return
    except BaseException as e:
        answer(f"{type(e).__name__}: {e}")
    os._exit(0)


def answer(line: str) -> None:
    os.write(ANSWERS, os.fsencode(line.replace("\n", " ") + "\n"))


def load(folder: str) -> str:
    """Loads what was learnt, up to what would not be the same in a worker that was forked, and tells that."""
    differ, addresses, lines = (told(f"{folder}/{name}") for name in ("differ", "addresses", "load"))
    importlib.import_module("random")  # whose state is compared
    guard, reads = Guard(), Reads(frozenset(differ), addresses)
    sys.meta_path.insert(0, guard)
    try:
        for line in lines:
            name, origin, _ = line.split("\t")
            before = state()
            why = loaded(name, origin)
            if why := guard.met or reads.met or why or kept(before, state()) or reads.in_c():
                return f"{name}\t{why}"
        return ""
    finally:
        reads.end()
        sys.meta_path.remove(guard)


def told(path: str) -> list[str]:
    with open(path) as file:
        return file.read().splitlines()


def loaded(name: str, origin: str) -> str:
    try:
        spec = importlib.import_module(name).__spec__
    except BaseException as e:  # whatever it is, a worker meets it by itself
        return f"raises {type(e).__name__}"
    return "" if spec and spec.origin == origin else "is found elsewhere"


def state() -> dict[str, object]:
    """What a worker would have in common with others, or not have at all."""
    with open("/proc/self/status") as file:
        status = dict(line.split(":", 1) for line in file)
    with open("/proc/self/stat") as file:
        of_children = file.read().rpartition(")")[2].split()[8]  # the page faults of those that were waited for
    files = {n: path for n in os.listdir("/proc/self/fd") if (path := linked(n)) and not path.startswith("/dev/")}
    return {
        "starts a thread": status["Threads"],
        "changes the umask": status["Umask"],
        "changes the folder": os.getcwd(),
        "keeps something open": files,
        "starts another process": (of_children, children()),
        "draws a random number": sys.modules["random"].getstate(),
    }


def children() -> list[str]:
    lists = []
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/self/task/{thread}/children") as file:
            lists.append(file.read())
    return lists


def linked(descriptor: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except FileNotFoundError:  # that by which they were listed
        return ""


def kept(before: dict[str, object], now: dict[str, object]) -> str:
    return next((why for why in before if before[why] != now[why]), "")


def changed(folder: str, here: str, began: bytes) -> None:
    """Writes down the variables that have changed since this process was started."""
    before = dict(v.split("=", 1) for v in os.fsdecode(began).split("\0") if "=" in v)
    hide(before, here)
    set_now = [f"{name}={value}" for name, value in os.environ.items() if before.get(name) != value]
    gone = [name for name in before if name not in os.environ]
    write(f"{folder}/server.changed", os.fsencode("\0".join(set_now + gone)))


def fork(request: bytes) -> bool:
    """Whether this is the worker. The process between is gone when it goes on: it is the replay's child then."""
    gate, held = os.pipe()
    between = os.fork()
    if between:
        os.close(gate)
        os.waitpid(between, 0)
        os.close(held)
        return False
    os.close(held)
    if os.fork():
        os._exit(0)
    os.read(gate, 1)  # nobody writes: it returns when the server has closed its end
    os.close(gate)
    become(*request.split(b"\0"))
    return True


def become(output: bytes, replay: bytes, port: bytes, _prctl: bytes, _dup3: bytes, *environ: bytes) -> None:
    """Makes this process what it would be, had the replay started it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
    if os.getppid() != int(replay):
        os._exit(0)  # it was killed meanwhile
    os.setpgid(0, 0)
    pipe = os.open(output, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(pipe, number)
    os.close(pipe)
    os.environ.clear()
    os.environb.update(v.split(b"=", 1) for v in environ)  # type: ignore[misc]
    for words in (sys.argv, getattr(sys, "orig_argv", [])):
        words[:] = [word.replace("{port}", os.fsdecode(port)) for word in words]
    if "numpy.random" in sys.modules:  # Python's own generators see to it themselves
        sys.modules["numpy.random"].seed()
    answer(str(os.getpid()))
    os.close(REQUESTS)
    os.close(ANSWERS)
