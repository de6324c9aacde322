"""The processes that use a database, each a row that says when it last wrote there."""

from __future__ import annotations

import time

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bottega.table.database.clock import now
from bottega.table.database.schema import PROCESSES

SILENT = 30.0  # seconds after which a process that says nothing counts as gone


async def say_alive(db: AsyncConnection, process: str) -> None:
    """Write that this process lives. Those that do not any more are forgotten, with the pages that
    were open there."""
    shared = db.dialect.name == "postgresql"
    moment = now() if shared else time.time()
    mine = (postgresql if shared else sqlite).insert(PROCESSES).values(id=process, alive=moment)
    again = mine.on_conflict_do_update(index_elements=["id"], set_={"alive": moment})
    await db.execute(again)
    silent = sa.select(PROCESSES.c.id).where(PROCESSES.c.alive < moment - SILENT)
    # Two that come back at the same moment would wait for each other.
    gone = silent.with_for_update(skip_locked=True)
    await db.execute(PROCESSES.delete().where(PROCESSES.c.id.in_(gone)))


async def is_alive(db: AsyncConnection, process: str) -> bool:
    """Whether the database has what this process wrote."""
    there = sa.select(PROCESSES.c.alive).where(PROCESSES.c.id == process)
    return (await db.execute(there)).first() is not None
