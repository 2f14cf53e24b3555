"""The statements of the record: the same texts in every language, one file each, made ready for a driver."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from .errors import RefusedError

TABLE = "idempotency_records"
_PLAIN_TABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?")
_NUMBERED = re.compile(r"[?$](\d+)")


@dataclass(frozen=True)
class Statement:
    """A text whose parameters go by their place, and which numbered one stands at each place."""

    sql: str
    order: tuple[int, ...]

    def arguments(self, numbered: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(numbered[n] for n in self.order)


def check_table(table: str) -> None:
    """The table is written into the text, so only a plain identifier is taken."""
    if not _PLAIN_TABLE.fullmatch(table):
        raise RefusedError(f'table "{table}" is not a plain identifier')


@cache
def statement(dialect: str, verb: str, table: str, mark: str) -> Statement:
    """mark is how the driver writes a parameter: %s or ?."""
    text = (files("twiceproof") / "data" / dialect / f"{verb}.sql").read_text("utf-8")
    return translate(text.replace(TABLE, table), mark)


def translate(text: str, mark: str) -> Statement:
    """Comments at the start of a line go: some drivers look for parameters, or the verb, in them."""
    sql = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    order = tuple(int(n) - 1 for n in _NUMBERED.findall(sql))
    if order and mark == "%s":
        sql = sql.replace("%", "%%")
    return Statement(_NUMBERED.sub(mark, sql).strip(), order)
