"""The table that own rows are written into."""

from __future__ import annotations

from typing import Any

from databases import Database
from twiceproof.driver import driver_of


def write(connection: Any, job_type: str, key: str) -> None:
    driver_of(connection).execute(connection, f"INSERT INTO effects (job, item) VALUES ('{job_type}', '{key}')")


def rows(database: Database, job_type: str) -> int:
    return int(database.execute(f"SELECT COUNT(*) FROM effects WHERE job = '{job_type}'")[0][0])
