from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "src")]

import broker  # noqa: E402
import databases  # noqa: E402 - found by the line above
import servers  # noqa: E402
from jobs import a_job, guard  # noqa: E402
from twiceproof import Guard, Job  # noqa: E402


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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is for some databases only is no test of the others: it is left out, and not skipped."""
    others = {item for item in items if _is_for_others(item)}
    items[:] = [item for item in items if item not in others]
    config.hook.pytest_deselected(items=list(others))


def _is_for_others(item: pytest.Item) -> bool:
    for mark in item.iter_markers("on"):
        if unknown := set(mark.args) - {
            "postgres",
            "mysql",
            "sqlite",
            "psycopg",
            "psycopg2",
            "pymysql",
            "mysqlclient",
            "sqlite3",
        }:
            raise pytest.UsageError(f"{item.nodeid} is for {unknown}, which nobody knows")
        assert isinstance(item, pytest.Function)
        found: Any = item.callspec.params["database"]
        if not {found.name, found.dialect} & set(mark.args):
            return True
    return False


@pytest.fixture(scope="session")
def redis() -> Iterator[str]:
    with or_skipped(broker.redis) as server:
        yield f"redis://127.0.0.1:{server.port}/0"


@pytest.fixture(scope="session")
def rabbitmq_server() -> Iterator[servers.Server]:
    with or_skipped(broker.rabbitmq) as server:
        yield server


@pytest.fixture(scope="session")
def rabbitmq(rabbitmq_server: servers.Server) -> str:
    return f"amqp://guest:guest@127.0.0.1:{rabbitmq_server.port}//"


@pytest.fixture(scope="session")
def sqs() -> Iterator[str]:
    with or_skipped(broker.SQS) as server:
        yield server.url


Started = TypeVar("Started", servers.Server, broker.SQS)


@contextmanager
def or_skipped(start: Callable[[], Started]) -> Iterator[Started]:
    """Where its program is missing a test fails, unless whoever runs it has said that it may be.

    The tests with workers take minutes: they are for `make test-full`.
    """
    if not os.environ.get("TWICEPROOF_FULL"):
        pytest.skip("real workers and brokers: TWICEPROOF_FULL=1, as in make test-full")
    try:
        server = start()
    except servers.MissingError as missing:
        if not os.environ.get("TWICEPROOF_SKIP_BROKERS"):
            raise
        pytest.skip(str(missing))
    yield server
    server.end()
    server.ended()


@pytest.fixture
def own(database: databases.Database) -> Iterator[tuple[Job, Guard]]:
    job = a_job(own_row=True)
    g = guard(database, job)
    yield job, g
    g.close()


_created: set[str] = set()


@pytest.fixture
def opened(redis: str, _servers: None) -> Iterator[Callable[..., broker.Shop]]:
    """Makes a shop with a broker (Redis if none is named), and a database (PostgreSQL)."""
    shops: list[broker.Shop] = []

    def make(address: str = redis, database: str = "psycopg", **settings: Any) -> broker.Shop:
        found = next(d for d in databases.installed() if d.name == database)
        if found.dialect == "sqlite" or database not in _created:  # a file of its own
            found.create()
            _created.add(database)
        shops.append(broker.Shop(address, redis, found, driver=database, **settings))
        return shops[-1]

    yield make
    for shop in shops:
        print(shop.logged())  # shown when the test fails
        shop.close()
