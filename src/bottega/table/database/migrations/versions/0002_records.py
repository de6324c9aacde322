"""The record after each move, so that rules can be mended while games last; and a count of the
changes of each table, so that nobody changes what they have not seen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "layouts",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("fields", sa.JSON, nullable=False),
    )
    with op.batch_alter_table("tables") as tables:
        tables.add_column(sa.Column("version", sa.Integer, nullable=False, server_default="0"))
        tables.add_column(sa.Column("start", sa.LargeBinary))
        tables.add_column(sa.Column("layout", sa.String(16)))
    with op.batch_alter_table("moves") as moves:
        moves.add_column(sa.Column("record", sa.LargeBinary))
        moves.add_column(sa.Column("layout", sa.String(16)))
        moves.add_column(sa.Column("rules", sa.Integer))
    op.drop_table("analyses")  # ended games are judged in another way since
    op.create_table(
        "analyses",
        sa.Column(
            "table",
            sa.String(24),
            sa.ForeignKey("tables.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("found", sa.JSON, nullable=False),
    )
