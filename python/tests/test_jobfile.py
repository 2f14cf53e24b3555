"""The job file, by the golden files of the repository."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path as FilePath

import pytest

from twiceproof import jobfile
from twiceproof.job import Effect, Job, Operation, StaleClaim
from twiceproof.path import Path
from twiceproof.yamlnodes import JobFileError

DATA = FilePath(__file__).resolve().parents[2] / "jobfile" / "testdata"


def sections() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in (DATA / "refusals.txtar").read_text().splitlines(keepends=True):
        if line.startswith("-- "):
            found.append((line[3:-4], ""))
        else:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


SOUND, *CASES = sections()


def edited(change: str) -> str:
    lines = change.splitlines(keepends=True)
    out, in_ = ("".join(line[1:] for line in lines if line[0] == sign) for sign in "-+")
    assert SOUND[1].count(out) == 1 or not out
    return SOUND[1].replace(out, in_) if out else in_


@pytest.mark.parametrize(("name", "change", "want"), [(n, c, CASES[i + 1][1]) for i, (n, c) in enumerate(CASES) if i % 2 == 0])
def test_refusals(name: str, change: str, want: str) -> None:
    got = "accepted\n"
    try:
        jobfile.parse("twiceproof.yaml", edited(change))
    except JobFileError as error:
        got = f"{error}\n"
    # What is no YAML is named by each language's own reader, at nearly the same place.
    if "not sound YAML" in want:
        assert "not sound YAML" in got
    else:
        assert got == want


def test_the_sound_file_is_sound() -> None:
    assert len(CASES) > 100
    assert jobfile.parse("f.yaml", SOUND[1]).job().type == "charge.create"


def test_every_field() -> None:
    file = jobfile.load(DATA / "twiceproof.yaml")
    assert file.table == "app_operations"
    assert file.jobs == (
        Job(
            "charge.create",
            queue="celery",
            message="billing.tasks.create_charge",
            operation=Operation(
                paths("kwargs.tenant", "kwargs.order_id"),
                "The same tenant and order is one operation. Another amount is refused and shown.",
                paths("kwargs.amount_cents", "kwargs.currency"),
            ),
            effect=Effect("outside", "a charge at the payment service"),
            longest_run=timedelta(seconds=40),
            lease=timedelta(minutes=2),
            stale_claim=StaleClaim("lookup", timedelta(seconds=30), max_takeovers=5, max_lookups=7),
            store_message=False,
            retention=timedelta(days=45),
        ),
        Job(
            "mail.send",
            queue="sidekiq",
            message="MailJob",
            operation=Operation(paths("args[0].id")),
            effect=Effect("outside", "a mail"),
            longest_run=timedelta(seconds=5),
            lease=timedelta(seconds=90),
            stale_claim=StaleClaim("resend", reference_window=timedelta(hours=24)),
        ),
        Job(
            "invoice.store",
            queue="sqs",
            operation=Operation(paths('body["order id"]', "attributes.tenant")),
            effect=Effect("own_row"),
            longest_run=timedelta(milliseconds=500),
            lease=timedelta(seconds=1),
        ),
    )


def paths(*texts: str) -> tuple[Path, ...]:
    return tuple(map(Path.parse, texts))


def test_byte_order_mark_and_crlf() -> None:
    text = "\ufeff" + SOUND[1].replace("\n", "\r\n")
    assert jobfile.parse("f.yaml", text).job().message == "billing.tasks.create_charge"


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("charge.crate", 'has no job "charge.crate"\nhint: did you mean charge.create?'),
        ("other", 'has no job "other"\nhint: it has charge.create, mail.send, invoice.store'),
        ("", "has several jobs and none is named\nhint: it has charge.create, mail.send, invoice.store"),
    ],
)
def test_no_such_job(name: str, want: str) -> None:
    with pytest.raises(JobFileError) as e:
        jobfile.load(DATA / "twiceproof.yaml").job(name)
    assert str(e.value).endswith(want)


@pytest.mark.parametrize("text", ["[" * 500, "a: " + "x" * 200_000, "\0", "version: 1\njobs: &a {a: *a}", "- " * 300 + "x"])
def test_refused_and_nothing_else(text: str) -> None:
    with pytest.raises(JobFileError):
        jobfile.parse("f.yaml", text)


def test_no_such_file() -> None:
    with pytest.raises(JobFileError, match="cannot be read"):
        jobfile.load("no/such/file")
