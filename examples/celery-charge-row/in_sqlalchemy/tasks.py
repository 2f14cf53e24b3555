"""The same in a session of SQLAlchemy."""

import os

import twiceproof.celery
from sqlalchemy import create_engine, make_url
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, scoped_session, sessionmaker
from twiceproof.sqlalchemy import SessionTransaction

from guarding import app, guard

engine = create_engine(
    make_url(os.environ["DATABASE_URL"]).set(drivername="postgresql+psycopg"),
    connect_args={"connect_timeout": 5, "options": "-c statement_timeout=5s"},
)
Session = scoped_session(sessionmaker(engine))


class Base(DeclarativeBase):
    pass


class Charge(Base):
    __tablename__ = "charges"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[str]
    amount_cents: Mapped[int]
    currency: Mapped[str]


@app.task(name="billing.book", acks_late=True, reject_on_worker_lost=True)
@twiceproof.celery.job("charge.book", guard=guard, transaction=lambda: SessionTransaction(guard, Session))
def book(order_id, amount_cents, currency):
    Session.add(Charge(order_id=order_id, amount_cents=amount_cents, currency=currency))
