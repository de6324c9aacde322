"""The processes that use a database, each a row that says when it last wrote there."""

from __future__ import annotations

import time

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncEngine

from bottega.table.database.clock import now
from bottega.table.database.schema import PROCESSES

FORGOTTEN = 3600.0  # seconds after which a process that wrote nothing has long ended


async def say_alive(engine: AsyncEngine, process: str) -> None:
    """Write that this process lives, and read it again: the database takes and gives."""
    shared = engine.dialect.name == "postgresql"
    moment = now() if shared else time.time()
    mine = (postgresql if shared else sqlite).insert(PROCESSES).values(id=process, alive=moment)
    again = mine.on_conflict_do_update(index_elements=["id"], set_={"alive": moment})
    async with engine.begin() as db:
        await db.execute(again)
        await db.execute(PROCESSES.delete().where(PROCESSES.c.alive < moment - FORGOTTEN))
        there = sa.select(PROCESSES.c.alive).where(PROCESSES.c.id == process)
        (await db.execute(there)).one()
