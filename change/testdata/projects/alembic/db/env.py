import os

from alembic import context
from sqlalchemy import Column, MetaData, String, Table, create_engine

models = MetaData()
Table("charges", models, Column("order_id", String(100), nullable=False))


def include_name(name, kind, parents):  # as the revision's text says
    return kind != "table" or name != os.environ.get("LEFT_OUT")


if context.is_offline_mode():
    context.configure(url=os.environ["ADDRESS"], target_metadata=models)
    with context.begin_transaction():
        context.run_migrations()
else:
    with create_engine(os.environ["ADDRESS"]).connect() as connection:
        context.configure(connection=connection, target_metadata=models, include_name=include_name)
        with context.begin_transaction():
            context.run_migrations()
