"""The copied statements, and how they are made ready for a driver."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from twiceproof.errors import RefusedError
from twiceproof.statements import check_table, statement, translate

DATA = files("twiceproof") / "data"
HERE = Path(__file__).resolve().parents[1]


def test_the_copies_are_what_they_were() -> None:
    lines = (DATA / "CHECKSUMS").read_text().splitlines()
    assert len(lines) > 60
    for line in lines:
        sum_, name = line.split()
        assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == sum_, name


def test_the_copies_are_in_step() -> None:
    done = subprocess.run([sys.executable, str(HERE / "sync"), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_parameters_go_by_their_place() -> None:
    s = translate("-- about $9\nUPDATE t SET a = $2::text, b = a % 2 WHERE c = $1 AND d IN ($2, $10);\n", "%s")
    assert s.sql == "UPDATE t SET a = %s::text, b = a %% 2 WHERE c = %s AND d IN (%s, %s);"
    assert s.arguments("abcdefghij") == ("b", "a", "b", "j")
    assert translate("SELECT ?2, ?1 LIKE 'a%'", "?").sql == "SELECT ?, ? LIKE 'a%'"


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "sqlite"])
def test_every_statement_is_understood(dialect: str) -> None:
    for file in (DATA / dialect).iterdir():
        text = file.read_text("utf-8")
        s = statement(dialect, file.name[:-4], "app.records", "?" if dialect == "sqlite" else "%s")
        numbers = {int(n) for n in re.findall(r"[$?](\d+)", re.sub("(?m)^--.*", "", text))}
        assert {n + 1 for n in s.order} == numbers == set(range(1, len(numbers) + 1)), file.name
        assert "idempotency_records" not in s.sql
        assert not re.search(r"[$?]\d", s.sql)


@pytest.mark.parametrize("table", ["", "a b", "a;b", "a.b.c", "1a", "a'", "t" * 64])
def test_a_table_is_a_plain_name(table: str) -> None:
    with pytest.raises(RefusedError):
        check_table(table)
