"""Time limits, interruptions and whoever leaves the body early, on each database and driver."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import pytest

from databases import Database
from faults import Faults, Faulty, Strike
from jobs import a_job, guard, order, record
from twiceproof import Guard
from twiceproof.driver import driver_of


class SoftTimeLimitExceeded(Exception):
    """As a task queue raises it, from a signal."""


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_whoever_leaves_the_body_gives_up(database: Database, raised: type[BaseException]) -> None:
    job = a_job()
    g = guard(database, job)

    def act(op: Any) -> None:
        raise raised

    with pytest.raises(raised):
        g.run(order(), act)
    assert record(database, job, "state", "acts", "given_up") == ("claimed", 1, 1)
    assert g.run(order(), act).outcome == "held"
    g.close()


def test_a_time_limit_in_the_body(database: Database) -> None:
    job = a_job()
    g = guard(database, job)

    def act(op: Any) -> None:
        with Alarm(SoftTimeLimitExceeded("soft")):
            time.sleep(60)

    result = g.run(order(), act)
    assert result.outcome == "given_up"
    assert isinstance(result.error, SoftTimeLimitExceeded)
    assert record(database, job, "state", "given_up") == ("claimed", 1)
    g.close()


class Alarm:
    """Raises within the block, from a signal; only for the main thread."""

    def __init__(self, error: BaseException, after: float = 0.05) -> None:
        self.error = error
        self.after = after
        self.struck = threading.Event()

    def __enter__(self) -> None:
        def handler(*_: Any) -> None:
            self.struck.set()
            raise self.error

        self.before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, self.after)

    def __exit__(self, *_: Any) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SoftTimeLimitExceeded("soft")])
def test_an_interruption_does_not_lose_the_completion(database: Database, error: BaseException) -> None:
    job = a_job()
    faults = Faults(database.dialect, "?" if database.dialect == "sqlite" else "%s")
    faults.strikes.append(Strike("complete", "pause"))

    def interrupted() -> None:
        raise error

    faults.pause = interrupted
    g = Guard(lambda: Faulty(database.connect(), faults), job)
    with pytest.raises(type(error)):
        g.run(order(), lambda op: None)
    assert record(database, job, "state", "completion") == ("completed", "acted")
    g.close()


BLOCKED = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE idemp%'",
    "mysql": "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
}


@pytest.mark.on("postgres", "mysql")
def test_a_time_limit_while_the_database_is_waited_for(database: Database) -> None:
    job = a_job()
    g = guard(database, job)
    locker = database.connect()
    driver_of(locker).begin(locker)
    main = threading.get_ident()
    alarm = Alarm(SoftTimeLimitExceeded("soft"), after=60)
    waited: list[bool] = []

    def strike() -> None:
        until = time.monotonic() + 30
        while not (blocked := database.execute(BLOCKED[database.dialect])[0][0]) and time.monotonic() < until:
            time.sleep(0.2)  # MariaDB does not make its list anew while it is read more often
        waited.append(bool(blocked))
        signal.pthread_kill(main, signal.SIGALRM)
        alarm.struck.wait(0.3)  # psycopg 2 hears of it only when the database has answered
        locker.commit()

    thread = threading.Thread(target=strike)

    def act(op: Any) -> None:
        driver_of(locker).execute(locker, f"UPDATE idempotency_records SET claimed_by = 'l' WHERE job_type = '{job.type}'")
        thread.start()

    with pytest.raises(SoftTimeLimitExceeded), alarm:
        g.run(order(), act)
    thread.join()
    assert waited == [True]
    assert record(database, job, "state", "completion", "late_finish_at") == ("completed", "acted", None)
    locker.close()
    g.close()


def test_an_interruption_during_the_claim_acts_nothing(database: Database) -> None:
    job = a_job()
    faults = Faults(database.dialect, "?" if database.dialect == "sqlite" else "%s")
    faults.strikes.append(Strike("claim", "pause"))

    def interrupted() -> None:
        raise KeyboardInterrupt

    faults.pause = interrupted
    g = Guard(lambda: Faulty(database.connect(), faults), job)
    acted: list[Any] = []
    with pytest.raises(KeyboardInterrupt):
        g.run(order(), acted.append)
    assert acted == []
    assert g.run(order(), acted.append).outcome == "completed"
    g.close()
