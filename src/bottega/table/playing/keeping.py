"""What is kept, how, and for how long: ended tables are packed, those that nobody comes back to go.

It is done behind everything else, one table after the other, with pauses.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter

from sqlalchemy.exc import SQLAlchemyError

from bottega.table import metrics
from bottega.table.database.packing import packed
from bottega.table.database.upkeep import Kept, Upkeep
from bottega.table.playing.tables import Tables
from bottega.table.settings import Settings

log = logging.getLogger(__name__)

DAY = 86_400.0  # seconds
FIRST = 900.0  # ... until it is begun: servers from before an upgrade are gone by then
EVERY = 6 * 3600.0  # ... between two times
PAUSE = 0.05  # ... between two tables
RESTED = DAY  # ... after which an ended table is packed

HOUSE = "the house"  # who has tables packed, in the backroom
PACKED, UNPLAYED, RUNNING, FINISHED = "packed", "unplayed", "running", "finished"


async def keep_up(tables: Tables) -> None:
    """Look after all tables again and again."""
    await asyncio.sleep(FIRST)
    while True:
        try:
            await look_after(tables)
        except (SQLAlchemyError, OSError) as problem:
            log.warning("tables could not be looked after: %s", type(problem).__name__)
        await asyncio.sleep(EVERY)


async def look_after(tables: Tables, pause: float = PAUSE) -> Counter[str]:
    """Go through all tables once; what was done, by kind. Another process may be at it already."""
    upkeep, done, name = Upkeep(tables.store), Counter[str](), ""
    async with upkeep.alone() as mine:
        while mine and (some := await upkeep.after(name)):
            for table in some:
                if what := await _look_after(tables, upkeep, table):
                    done[what] += 1
                    await asyncio.sleep(pause)
            name = some[-1].id
            await asyncio.sleep(pause)
    if done:
        log.info("tables looked after: %s", dict(done))
    return done


async def _look_after(tables: Tables, upkeep: Upkeep, table: Kept) -> str:
    """What is due with one table; what was done, if anything."""
    now = time.time()
    kind = outlived(table, tables.settings, now)
    if tables.in_use(table.id):
        return ""
    if kind and await upkeep.remove(table):
        tables.forget(table.id)
        metrics.removed.labels(kind).inc()
        return kind
    if not kind and rests(table, now) and await _pack(tables, upkeep, table):
        metrics.packed.inc()
        return PACKED
    return ""


def outlived(table: Kept, settings: Settings, now: float) -> str:
    """As what a table has been kept for long enough, if it has."""
    kind, days = RUNNING, settings.keep_running
    if table.mode == "opened" or not table.length:
        kind, days = UNPLAYED, settings.keep_unplayed
    elif table.over:
        kind, days = FINISHED, settings.keep_finished
    return kind if days and now - table.touched > days * DAY else ""


def rests(table: Kept, now: float) -> bool:
    """Whether nothing follows at a table, which is not packed yet."""
    ended = table.over or table.mode == "opened"
    return ended and not table.packed and now - table.touched > RESTED


async def _pack(tables: Tables, upkeep: Upkeep, table: Kept) -> bool:
    loaded = await tables.store.load(table.id)
    if loaded is None or not loaded.entry.start or not loaded.has_records:
        return False
    piece = await tables.backroom.do(HOUSE, packed, loaded.entry.start, loaded.moves)
    return await upkeep.pack(table, piece)
