"""What several processes must know of a table besides its moves, so that any of them can answer any
request: what is agreed on there, who has its page open, and what is still to be thought about. And
how often a seat's link was made anew, so that an old one can be made useless.

Everything is added with a default: a process of before goes on beside the new one.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    with op.batch_alter_table("tables") as tables:
        tables.add_column(sa.Column("rewinds", sa.Integer, nullable=False, server_default="0"))
        tables.add_column(sa.Column("manners", sa.JSON, nullable=False, server_default="{}"))
        tables.add_column(sa.Column("looked", sa.Float, nullable=False, server_default="0"))
    with op.batch_alter_table("seats") as seats:
        seats.add_column(sa.Column("links", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "processes",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("alive", sa.Float, nullable=False),
    )
    op.create_table(
        "presence",
        sa.Column(
            "process",
            sa.String(16),
            sa.ForeignKey("processes.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        of_a_table(primary_key=True, index=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("pages", sa.Integer, nullable=False),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        of_a_table(nullable=False, index=True),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("made", sa.Float, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("worker", sa.String(16)),
        sa.Column("until", sa.Float, nullable=False, server_default="0"),
        sa.Column("percent", sa.Integer, nullable=False, server_default="0"),
        sa.Column("result", sa.JSON),
        sa.UniqueConstraint("table", "kind", "seat"),
    )


def of_a_table(**more: Any) -> sa.Column[Any]:
    return sa.Column("table", sa.String(24), sa.ForeignKey("tables.id", ondelete="CASCADE"), **more)
