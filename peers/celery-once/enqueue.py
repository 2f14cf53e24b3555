"""The application's own way of putting the task on, by somebody who clicks twice: python enqueue.py ORDER"""

import sys

from tasks import charge

for _ in range(2):
    charge.apply_async(kwargs={"order_id": sys.argv[1], "amount_cents": 1250, "currency": "EUR"}, countdown=1)
