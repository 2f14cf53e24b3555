"""The first worker of a version: which of what is installed does it load, and in which order?"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any

from forkfind import found, installed, own, start, write


class Learner:
    """Writes down each installed module that is not asked for by one that is being loaded itself."""

    def __init__(self, folder: str) -> None:
        self.learnt = f"{folder}/learnt"
        start(folder, "learner")
        self.write(f"process\t{os.getpid()}")
        for module in list(sys.modules.values()):
            spec = getattr(module, "__spec__", None)
            if spec and own(spec):
                self.write(f"own\t{spec.name}")
        sys.meta_path.insert(0, self)
        sys.addaudithook(self.heard)

    def heard(self, event: str, args: tuple[Any, ...]) -> None:
        """What the system says of a process is of the server in all its forks."""
        path = os.fsdecode(args[0]) if event == "open" and isinstance(args[0], (str, bytes)) else ""
        if path.startswith("/proc/") and path.endswith("/environ"):
            self.write(f"reads\t{path}")

    def write(self, line: str) -> None:
        write(self.learnt, os.fsencode(f"{line}\n"), "ab")

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec, asking = found(name, path, target, self), sys._getframe(2)
        if spec and asking.f_code.co_name == "_find_and_load_unlocked":  # else it is looked for, and not loaded
            nested = loading(asking)
            if nested and own(spec):
                self.write(f"own\t{name}")
            elif not nested and spec.has_location and not own(spec):
                self.write(f"load\t{name}\t{spec.origin}")
        return spec


def loading(frame: FrameType | None) -> bool:
    """Whether an installed module is being loaded."""
    while frame:
        top = frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__"
        if top and installed(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False
