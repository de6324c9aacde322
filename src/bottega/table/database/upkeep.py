"""What keeps the database small: ended tables are packed, and what nobody comes back to goes.

It goes through all tables in the order of their names, a few at a time. An index of when each was
looked at would be quicker, and would have to be written with every move.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import sqlalchemy as sa

from bottega.table.database.schema import ARCHIVES, HOLDERS, MOVES, TABLES, VISITORS
from bottega.table.database.store import Store

ONE_AT_A_TIME = 0xB077E6B  # a name for PostgreSQL's lock
AT_ONCE = 200  # tables that are looked through together


@dataclass(frozen=True)
class Kept:
    """What decides about a table."""

    id: str
    mode: str
    over: bool
    length: int
    version: int
    changed: float
    looked: float
    packed: bool

    @property
    def touched(self) -> float:
        """When somebody was last there."""
        return max(self.changed, self.looked)


class Upkeep:
    """The work, as one process does it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[bool]:
        """Whether no other process is at it; until this ends, none will be."""
        if not self._store.shared:
            yield True
            return
        async with self._store.engine.connect() as connected:
            db = await connected.execution_options(isolation_level="AUTOCOMMIT")
            mine = await db.scalar(sa.select(sa.func.pg_try_advisory_lock(ONE_AT_A_TIME)))
            try:
                yield bool(mine)
            finally:
                if mine:
                    await db.execute(sa.select(sa.func.pg_advisory_unlock(ONE_AT_A_TIME)))

    async def after(self, name: str) -> list[Kept]:
        """The next tables behind the one of this name."""
        # A table from before there were records has no start; it is given one when looked at.
        here = TABLES.c
        packed = sa.func.coalesce(sa.func.length(here.start), 0) == 0
        about = (here.id, here.mode, here.over, here.length, here.version, here.changed)
        some = sa.select(*about, here.looked, packed.label("packed"))
        some = some.where(here.id > name).order_by(here.id).limit(AT_ONCE)
        async with self._store.engine.connect() as db:
            return [Kept(**row._mapping) for row in await db.execute(some)]

    async def pack(self, table: Kept, piece: bytes) -> bool:
        """Keep a table's moves in one piece, unless it was changed meanwhile. Its version stays:
        only the database is another one."""
        same = (TABLES.c.id == table.id, TABLES.c.version == table.version)
        async with self._store.writing() as db:
            # Without a start, a server of before 0004 calls the table broken and leaves it alone.
            emptied = await db.execute(sa.update(TABLES).where(*same).values(start=b""))
            if emptied.rowcount != 1:
                return False
            await db.execute(ARCHIVES.insert().values(table=table.id, packed=piece))
            await db.execute(MOVES.delete().where(MOVES.c.table == table.id))
            return True

    async def remove(self, table: Kept) -> bool:
        """Remove a table with all that belongs to it, unless somebody was there meanwhile; and the
        names of those for whom it was the last one."""
        same = (
            TABLES.c.id == table.id,
            TABLES.c.version == table.version,
            TABLES.c.looked == table.looked,
        )
        async with self._store.writing() as db:
            held = sa.select(HOLDERS.c.visitor).where(HOLDERS.c.table == table.id)
            known = set((await db.execute(held)).scalars())
            gone = (await db.execute(TABLES.delete().where(*same).returning(TABLES.c.host))).first()
            if gone is None:
                return False
            elsewhere = sa.or_(
                sa.exists().where(HOLDERS.c.visitor == VISITORS.c.id),
                sa.exists().where(TABLES.c.host == VISITORS.c.id),
            )
            theirs = VISITORS.c.id.in_(known | {gone.host})
            await db.execute(VISITORS.delete().where(theirs, ~elsewhere))
            return True
