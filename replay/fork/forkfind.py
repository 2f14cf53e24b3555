"""What is installed, and what is the user's own."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import MutableMapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_FOLDERS = (os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages())
_INSTALLED = tuple(os.path.join(folder, "") for folder in _FOLDERS)


def installed(path: str) -> bool:
    return path.startswith(_INSTALLED)


def own(spec: ModuleSpec) -> bool:
    """Whatever is not installed is the user's own. What is built in has no file."""
    files = [spec.origin] if spec.has_location and spec.origin else list(spec.submodule_search_locations or [])
    return not all(installed(file) for file in files)


def found(name: str, path: Any, target: ModuleType | None, but: object) -> ModuleSpec | None:
    """What Python's finders find without one of them."""
    for finder in list(sys.meta_path):
        if finder is not but and (spec := finder.find_spec(name, path, target)):
            return spec
    return None


def hide(environ: MutableMapping[str, str], here: str) -> None:
    """Takes the hook off an environment."""
    for name, part, between in (("PYTHONPATH", here, os.pathsep), ("RUBYOPT", f"-r{here}/fork.rb", " ")):
        rest = environ.pop(name, "").replace(part, "", 1).strip(between)
        if rest:
            environ[name] = rest
    environ.pop("TWICEPROOF_FORK", None)


def write(path: str, text: bytes, mode: str = "wb") -> None:
    """Nothing stays open: a worker may close whatever it finds, and open something else."""
    with open(path, mode, buffering=0) as file:
        file.write(text)


def start(folder: str, who: str) -> bytes:
    """Writes down with what environment and words this process was started."""
    for what in ("cmdline", "environ"):
        with open(f"/proc/self/{what}", "rb") as file:
            text = file.read()
        write(f"{folder}/{who}.{what}", text)
    return text
