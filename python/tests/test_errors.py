from __future__ import annotations

import pickle

import pytest

from twiceproof import DeadlinePassed, KeyRefusedError, NotApplied


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (KeyRefusedError("operation key", "kwargs.order", "null"), "operation key: kwargs.order is null"),
        (KeyRefusedError("operation key", "", "no_path"), "operation key: no path is named"),
        (NotApplied(ConnectionError("refused")), "not applied: refused"),
        (NotApplied(), "not applied: no cause given"),
        (DeadlinePassed(), "not applied: the claim's lease is over"),
    ],
)
def test_an_error_comes_out_of_a_pool_of_processes_as_it_was(error: Exception, text: str) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error) == text
    assert vars(again) == vars(error)
