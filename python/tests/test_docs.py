"""The page's own code runs as it stands there."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from databases import Database
from jobs import a_job, guard, order

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


class Answer:
    def raise_for_status(self) -> None: ...

    def json(self) -> list[Any]:
        return []


def test_the_page(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if database.name != "psycopg":
        pytest.skip("the page's driver is psycopg")
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
    body = json.dumps({"order": {"id": 7}, "amount_cents": 5}).encode()
    assert [page["on_message"](body, {}) for _ in range(2)] == [True, True]
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
