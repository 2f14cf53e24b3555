"""The golden files of the repository: the same bytes as in Go."""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import Any

import pytest

from twiceproof import key as k
from twiceproof.errors import KeyRefusedError, UnfitError
from twiceproof.message import MessageError, decode_json, fields_of_sqs
from twiceproof.path import Path
from twiceproof.sqs import delivery_of_sqs

ROOT = FilePath(__file__).resolve().parents[2]


def cases(name: str) -> Any:
    return decode_json((ROOT / "job" / "testdata" / name).read_bytes())


def named(name: str) -> Any:
    found = cases(name)["cases"]
    assert len(found) > 10
    return [pytest.param(c, id=str(c.get("name", i))) for i, c in enumerate(found)]


@pytest.mark.parametrize("c", named("keys.json"))
def test_key(c: dict[str, Any]) -> None:
    paths = [Path.parse(p) for p in c["key"]]
    if "refused" not in c:
        assert k.key_of(paths, c["fields"]) == c["want"]
        return
    with pytest.raises(KeyRefusedError) as e:
        k.key_of(paths, c["fields"])
    assert (e.value.why, e.value.path) == (c["refused"], c.get("refused_path", ""))


def test_key_lists() -> None:
    assert [ord(c) for c in sorted(k.BLANK)] == cases("keys.json")["blank_code_points"]
    assert list(k.NOTHING_WORDS) == cases("keys.json")["nothing_words"]


@pytest.mark.parametrize("c", named("fingerprints.json"))
def test_fingerprint(c: dict[str, Any]) -> None:
    paths = [Path.parse(p) for p in c["fingerprint"]]
    if "refused" in c:
        with pytest.raises(KeyRefusedError) as e:
            k.fingerprint_of(paths, c["fields"])
        assert (e.value.why, e.value.path) == (c["refused"], c["refused_path"])
        return
    print_ = k.fingerprint_of(paths, c["fields"])
    assert print_.fields == c.get("want_fields", "")
    assert (print_.sum or b"").hex() == c.get("want_sum", "")


@pytest.mark.parametrize("c", named("paths.json"))
def test_path(c: dict[str, Any]) -> None:
    if "refused" in c:
        with pytest.raises(UnfitError) as e:
            Path.parse(c["text"])
        assert e.value.what == c["refused"]
        return
    path = Path.parse(c["text"])
    assert (str(path), list(path.steps)) == (c["path"], c["steps"])
    assert Path.parse(str(path)) == path


@pytest.mark.parametrize("c", named("references.json"))
def test_reference(c: dict[str, Any]) -> None:
    assert k.reference_of(c["job_type"], c["key"]) == c["reference"]


@pytest.mark.parametrize(
    "text",
    [b'{"a":1,"a":2}', b'"\\ud800"', b"\xff", b"1 2", b"NaN", b"[1,]", b"[" * 100_000, b'{"\\udc00x":1}', b"-Infinity"],
)
def test_message_refused(text: bytes) -> None:
    with pytest.raises(MessageError):
        decode_json(text)


@pytest.mark.parametrize(
    ("body", "want"),
    [(b"42", 42), (b"ORD-42", "ORD-42"), (b"0042", "0042"), (b' {"id": 7}', {"id": 7}), (b"1.0", 1.0), (b"", "")],
)
def test_sqs_body(body: bytes, want: object) -> None:
    fields = fields_of_sqs(body, {"tenant": "t"})
    assert fields == {"body": want, "attributes": {"tenant": "t"}}
    assert json.dumps(fields["body"]) == json.dumps(want)


def test_sqs_body_that_opens_an_object_is_json() -> None:
    with pytest.raises(MessageError):
        fields_of_sqs(b'{"id": 7', {})


def test_sqs_message_is_stored_as_the_sweep_reads_it() -> None:
    """As sqsconsumer.StoredMessage in Go."""
    message = {
        "Body": '{"id": 7}',
        "MessageAttributes": {
            "tenant": {"DataType": "String", "StringValue": "ü"},
            "raw": {"DataType": "Binary", "BinaryValue": b"\x00"},
        },
        "Attributes": {"MessageGroupId": "g"},
    }
    delivery = delivery_of_sqs(message)
    assert delivery.fields == {"body": {"id": 7}, "attributes": {"tenant": "ü"}}
    assert json.loads(delivery.message or b"") == {
        "body": '{"id": 7}',
        "attributes": {"tenant": {"type": "String", "string": "ü"}, "raw": {"type": "Binary", "binary": "AA=="}},
        "group_id": "g",
    }
    assert json.loads(delivery_of_sqs({"Body": "x"}).message or b"") == {"body": "x", "attributes": {}}


class Enumerated(int):
    def __str__(self) -> str:
        return "seven"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"7", "type"),
        ({1}, "type"),
        ((7,), "list"),
        ("\ud800", "not_utf8"),
        pytest.param(10**9999, "too_long", id="huge"),
    ],
)
def test_key_of_values_that_json_does_not_have(value: object, why: str) -> None:
    with pytest.raises(KeyRefusedError) as e:
        k.key_of([Path.parse("args[0]")], {"args": (value,)})
    assert e.value.why == why


def test_key_of_an_integer_with_another_text() -> None:
    assert k.key_of([Path.parse("args[0]")], {"args": [Enumerated(7)]}) == "7"
