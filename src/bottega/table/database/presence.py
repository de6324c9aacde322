"""Who is there: the processes that use a database, and the pages that are open at each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from bottega.table.database.clock import now
from bottega.table.database.processes import is_alive, make_known, say_alive
from bottega.table.database.schema import PRESENCE, PROCESSES, TABLES
from bottega.table.database.signals import PRESENCE as OPENED
from bottega.table.database.signals import Signals


class Presence:
    """What one process says of itself, and knows of the others. With SQLite there are none."""

    def __init__(self, engine: AsyncEngine, signals: Signals) -> None:
        self._engine = engine
        self._signals = signals
        self._me = signals.process

    async def beat(self, looked: Collection[str] = ()) -> bool:
        """This process is alive, and somebody looks at these tables. Whether the others knew it: if
        it was silent for too long, they forgot who is here."""
        async with self._engine.begin() as db:
            known = await is_alive(db, self._me)
            await say_alive(db, self._me)
            if looked:
                seen = sa.update(TABLES).where(TABLES.c.id.in_(looked))
                await db.execute(seen.values(looked=now()))
        return known

    async def leave(self) -> None:
        """This process ends."""
        async with self._engine.begin() as db:
            await db.execute(PROCESSES.delete().where(PROCESSES.c.id == self._me))

    async def say(self, table: str, seat: int, pages: int) -> None:
        """So many pages of a seat are open here."""
        own = {"process": self._me, "table": table, "seat": seat}
        said = insert(PRESENCE).values(**own, pages=pages)
        async with self._engine.begin() as db:
            await make_known(db, self._me)  # pages may be opened before the first beat
            await db.execute(
                said.on_conflict_do_update(index_elements=list(own), set_={"pages": pages})
            )
            await self._signals.send(db, OPENED, table)

    async def elsewhere(self, table: str) -> Counter[int]:
        """How many pages of each seat are open at other processes."""
        others = sa.select(PRESENCE.c.seat, PRESENCE.c.pages).where(
            PRESENCE.c.table == table, PRESENCE.c.process != self._me
        )
        found: Counter[int] = Counter()
        async with self._engine.connect() as db:
            for seat, pages in await db.execute(others):
                found[seat] += pages
        return found
