"""The scenarios of ../vectors, on each database and driver."""

from __future__ import annotations

import itertools

import pytest

from databases import Database
from scenarios import Scenario, World, read_scenarios

ALL = read_scenarios()
HERE = [s for s in ALL if s.for_guards]
_numbers = itertools.count()


def test_there_are_scenarios() -> None:
    assert len(HERE) > 180
    assert len({s.name for s in ALL}) == len(ALL)


@pytest.mark.parametrize("scenario", HERE, ids=lambda s: s.name)
def test_scenario(database: Database, scenario: Scenario) -> None:
    if database.dialect not in scenario.only:
        pytest.skip("not for this database")
    world = World(database, f"vector.{next(_numbers)}")
    try:
        world.play(scenario)
    finally:
        world.close()
