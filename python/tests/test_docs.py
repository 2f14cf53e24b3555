"""The page's own code runs as it stands there."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy import orm

import twiceproof.celery
from databases import Database
from jobs import a_job, guard, order
from twiceproof import BodyError, Guard, Operation, RefusedError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


class Answer:
    status_code = 404

    def raise_for_status(self) -> None: ...


@pytest.mark.on("psycopg")
def test_the_page(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, outside, own_row = re.findall(r"```(?:yaml|python)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "twiceproof.yaml").write_text(settings)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"postgresql://postgres@127.0.0.1:{database.server().port}/tests")
    calls: list[Any] = []

    def post(*_: Any, **given: Any) -> Answer:
        calls.append(given["json"])
        return Answer()

    requests = SimpleNamespace(get=lambda *_, **__: Answer(), post=post)
    monkeypatch.setitem(sys.modules, "requests", requests)
    page: dict[str, Any] = {"CHARGES": "http://charges"}
    exec(outside, page)
    body = json.dumps({"order": {"id": 7}, "amount_cents": 5})
    assert [page["on_message"]({"Body": body}) for _ in range(2)] == [True, True]
    assert len(calls) == 1
    page["guard"].close()

    database.execute("CREATE TABLE bookings (order_id text)")
    page.update(connection=database.application(), guard=guard(database, a_job(own_row=True)), delivery=order(7))
    for repeat in (False, True):
        exec(own_row, page)
        assert page["result"].repeat == repeat
    assert database.execute("SELECT * FROM bookings") == [("7",)]
    page["connection"].close()
    page["guard"].close()


@pytest.mark.on("psycopg")
def test_the_page_about_celery(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, task, retry, own_row, in_session, signal = re.findall(
        r"```(?:yaml|python)\n(.*?)```", (PAGE.parent / "celery.md").read_text("utf-8"), re.DOTALL
    )
    (tmp_path / "twiceproof.yaml").write_text(settings)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CELERY_BROKER_URL", "memory://")
    monkeypatch.setenv("CELERY_RESULT_BACKEND", "cache+memory://")
    monkeypatch.setenv("PAYMENTS_URL", "http://payments")
    monkeypatch.setenv("DATABASE_URL", f"postgresql://postgres@127.0.0.1:{database.server().port}/tests")
    calls: list[Any] = []

    def post(*_: Any, **given: Any) -> Any:
        calls.append(given["json"])
        return SimpleNamespace(raise_for_status=lambda: None, json=lambda: {"id": "c1"})

    monkeypatch.setitem(sys.modules, "requests", SimpleNamespace(get=lambda *_, **__: Answer(), post=post))
    page: dict[str, Any] = {"page": print}
    exec(task, page)
    charge = page["charge"]
    assert [charge(8, 500), charge(order_id=8, amount_cents=500), charge.apply((8, 500)).get()] == ["c1"] * 3
    assert len(calls) == 1
    exec(signal, page)
    assert "NotApplied from self.retry" in retry
    page["guard"].close()

    seat = Operation(key=(twiceproof.Path.parse("kwargs.seat"),))
    job = replace(a_job(own_row=True), type="booking.create", queue="celery", operation=seat)
    page.update(guard=guard(database, job), Session=None, connection_of_this_process=page["connect"])
    exec(own_row, page)
    run_in_session(in_session, page, database)
    page["guard"].close()


def run_in_session(code: str, page: dict[str, Any], database: Database) -> None:
    class Seat(orm.DeclarativeBase): ...

    class Booking(Seat):
        __tablename__ = "seats"
        seat: orm.Mapped[str] = orm.mapped_column(primary_key=True)

    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=database.connect)
    Seat.metadata.create_all(engine)
    page.update(Booking=Booking, engine=engine, scoped_session=orm.scoped_session, sessionmaker=orm.sessionmaker)
    exec(code, page)
    for _ in range(2):  # the second one would fail on the primary key
        page["book"]("12A")
    assert database.execute("SELECT seat FROM seats") == [("12A",)]
    with pytest.raises(BodyError, match=r"nor close the session"):
        page["app"].task(shared=False)(closing(page))("12B")
    with pytest.raises(RefusedError, match="sessionmaker is no session"):
        page["SessionTransaction"](page["guard"], orm.sessionmaker(engine))
    page["Session"].remove()
    engine.dispose()


def closing(page: dict[str, Any]) -> Any:
    """What the page says not to write; nothing of it stays, and it says so."""
    job = replace(page["guard"].job, type="booking.closing")
    g = Guard(page["connect"], job)

    @twiceproof.celery.job(job.type, guard=g, transaction=lambda: page["SessionTransaction"](g, page["Session"]))
    def book(seat: str) -> None:
        with page["Session"]() as session:
            session.add(page["Booking"](seat=seat))

    return book
