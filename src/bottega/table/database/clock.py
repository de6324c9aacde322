"""The database's clock: those of several machines differ."""

from __future__ import annotations

import sqlalchemy as sa


def now() -> sa.ColumnElement[float]:
    """Seconds, as PostgreSQL counts them."""
    return sa.cast(sa.func.extract("epoch", sa.func.clock_timestamp()), sa.Float)
