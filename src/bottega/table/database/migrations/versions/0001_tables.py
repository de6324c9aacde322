"""The schema as it was before schemas had numbers."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "tables",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("rules", sa.Integer, nullable=False),
        sa.Column("kit", sa.String(80), nullable=False),
        sa.Column("kit_hash", sa.String(64), nullable=False),
        sa.Column("players", sa.Integer, nullable=False),
        sa.Column("seed", sa.String(20), nullable=False),
        sa.Column("turn_limit", sa.BigInteger, nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("names", sa.JSON, nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("invite", sa.String(16), nullable=False),
        sa.Column("host", sa.String(40)),
        sa.Column("follower", sa.String(24)),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("over", sa.Boolean, nullable=False),
        sa.Column("waiting", sa.JSON, nullable=False),
        sa.Column("result", sa.String(400), nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("changed", sa.Float, nullable=False),
    )
    op.create_table(
        "seats",
        of_a_table(primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("bot", sa.String(40)),
    )
    op.create_table(
        "holders",
        sa.Column("visitor", sa.String(40), primary_key=True),
        of_a_table(primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
    )
    op.create_index("ix_holders_table", "holders", ["table"])
    op.create_table(
        "moves",
        of_a_table(primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("action", sa.String(80), nullable=False),
    )
    op.create_table(
        "chat",
        sa.Column("id", sa.Integer, primary_key=True),
        of_a_table(nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("text", sa.String(1000), nullable=False),
    )
    op.create_index("ix_chat_table", "chat", ["table"])
    op.create_table(
        "analyses",
        of_a_table(primary_key=True),
        sa.Column("points", sa.JSON, nullable=False),
    )
    op.create_table(
        "visitors",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
    )


def of_a_table(**more: Any) -> sa.Column[Any]:
    return sa.Column("table", sa.String(24), sa.ForeignKey("tables.id", ondelete="CASCADE"), **more)
