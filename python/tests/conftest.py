from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "src")]

import databases  # noqa: E402 - found by the line above


@pytest.fixture(scope="session", autouse=True)
def _servers() -> Iterator[None]:
    with databases.stopping():
        yield


@pytest.fixture(scope="session", params=databases.installed(), ids=lambda d: d.name)
def database(request: pytest.FixtureRequest, _servers: None) -> Iterator[databases.Database]:
    found: databases.Database = request.param
    found.create()
    yield found
    found.close()
