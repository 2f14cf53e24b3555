"""Signals, sent with the task as sender, and request (its context) and result (the guard's).

A receiver that raises is logged by Celery, and changes nothing.
"""

from __future__ import annotations

from celery.utils.dispatch import Signal

_GIVEN = {"request", "result"}

skipped = Signal(name="twiceproof_skipped", providing_args=_GIVEN)  # the effect was there: the stored result is returned
taken_over = Signal(name="twiceproof_taken_over", providing_args=_GIVEN)  # an earlier attempt was in doubt; the policy has acted
held = Signal(name="twiceproof_held", providing_args=_GIVEN)  # waits for a person
put_back = Signal(name="twiceproof_put_back", providing_args=_GIVEN | {"countdown", "reason"})  # result may be None
