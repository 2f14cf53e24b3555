"""Loaded by Python before the main program, as its folder is the first of PYTHONPATH; workers.go tells what for.

Nothing of it stays where a worker could see it: no variable, no path, no module.
"""

import os
import sys

import forkfind
import forklearn
import forkserve

HERE = os.path.dirname(os.path.abspath(__file__))


def shadowed() -> None:
    """Loads the module of this name that Python would have found, or none."""
    del sys.modules["sitecustomize"]
    try:
        import sitecustomize  # noqa: F401
    except ImportError as e:
        if e.name != "sitecustomize":
            raise


MODE, _, FOLDER = os.environ["TWICEPROOF_FORK"].partition(":")
forkfind.hide(os.environ, HERE)
sys.path.remove(HERE)
for module in ("forkfind", "forklearn", "forkreads", "forkserve"):
    del sys.modules[module]
shadowed()
if MODE == "learn":
    forklearn.Learner(FOLDER)
else:
    forkserve.serve(FOLDER, HERE)
if "sitecustomize" not in sys.modules:
    raise ImportError("there is none", name="sitecustomize")  # as site.py expects it
