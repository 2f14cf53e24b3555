import sqlalchemy as sa
from alembic import op

revision = "3f2a1b"
down_revision = None


def upgrade():
    op.create_table("charges", sa.Column("order_id", sa.String(100), nullable=False))


def downgrade():
    op.drop_table("charges")
