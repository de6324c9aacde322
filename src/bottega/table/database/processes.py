"""The processes that use a database, each a row that says when it last wrote there."""

from __future__ import annotations

import secrets
import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bottega.table.database.schema import PROCESSES

FORGOTTEN = 3600.0  # seconds after which a process that wrote nothing has long ended


def new_process() -> str:
    """A name for this process."""
    return secrets.token_hex(8)


async def say_alive(engine: AsyncEngine, process: str) -> None:
    """Write that this process lives, and read it again: the database takes and gives."""
    async with engine.begin() as db:
        now = _now(db)
        mine = PROCESSES.c.id == process
        if (await db.execute(sa.update(PROCESSES).where(mine).values(alive=now))).rowcount != 1:
            await db.execute(PROCESSES.delete().where(PROCESSES.c.alive < now - FORGOTTEN))
            await db.execute(PROCESSES.insert().values(id=process, alive=now))
        (await db.execute(sa.select(PROCESSES.c.alive).where(mine))).one()


def _now(db: AsyncConnection) -> Any:
    """Seconds by the database's own clock where machines share it: theirs differ."""
    if db.dialect.name == "postgresql":
        return sa.cast(sa.func.extract("epoch", sa.func.clock_timestamp()), sa.Float)
    return time.time()
