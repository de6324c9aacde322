"""The processes that use a database, each a row that says when it last wrote there."""

from __future__ import annotations

import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bottega.table.database.clock import now
from bottega.table.database.schema import PROCESSES

SILENT = 30.0  # seconds after which a process that says nothing counts as gone


async def make_known(db: AsyncConnection, process: str) -> None:
    """Have a row of this process, to which others refer; if it is there, nobody waits for it."""
    await db.execute(_row(db, process).on_conflict_do_nothing())


async def say_alive(db: AsyncConnection, process: str) -> None:
    """Write that this process lives. Those that do not any more are forgotten, with the pages that
    were open there."""
    row = _row(db, process)
    again = row.on_conflict_do_update(index_elements=["id"], set_={"alive": row.excluded.alive})
    await db.execute(again)
    silent = sa.select(PROCESSES.c.id).where(PROCESSES.c.alive < _moment(db) - SILENT)
    # Two that come back at the same moment would wait for each other.
    gone = silent.with_for_update(skip_locked=True)
    await db.execute(PROCESSES.delete().where(PROCESSES.c.id.in_(gone)))


async def is_alive(db: AsyncConnection, process: str) -> bool:
    """Whether the database has what this process wrote."""
    there = sa.select(PROCESSES.c.alive).where(PROCESSES.c.id == process)
    return (await db.execute(there)).first() is not None


def _row(db: AsyncConnection, process: str) -> Any:
    insert = (postgresql if _shared(db) else sqlite).insert(PROCESSES)
    return insert.values(id=process, alive=_moment(db))


def _moment(db: AsyncConnection) -> Any:
    """Now, as all who use this database tell the time."""
    return now() if _shared(db) else time.time()


def _shared(db: AsyncConnection) -> bool:
    return db.dialect.name == "postgresql"
