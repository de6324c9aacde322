"""Bots at the tables: they think in threads, take a natural pause and never hold up others."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bottega.engine.match import Match
from bottega.table import levels
from bottega.table.faults import Fault
from bottega.table.seating import BOT

if TYPE_CHECKING:
    from bottega.table.hall import Hall
    from bottega.table.live import Table

log = logging.getLogger(__name__)

QUICK = 0.3  # the share of the pause for what is forced, or a further step of the same turn


class Thinkers:
    """Starts a bot's thinking whenever a table waits for one."""

    def __init__(self, hall: Hall, pause: float) -> None:
        self.hall = hall
        self.pause = pause

    def wake(self, table: Table) -> None:
        """Let every bot think that owes a decision and does not think yet."""
        if table.opened:
            return
        for seat in table.match.waiting:
            if table.seats[seat].kind == BOT and seat not in table.thinkers:
                table.thinkers[seat] = asyncio.create_task(self._turn(table, seat))

    async def stop(self, tables: Sequence[Table]) -> None:
        """End all thinking."""
        tasks = [task for table in tables for task in table.thinkers.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _turn(self, table: Table, seat: int) -> None:
        """Decide until the table no longer waits for this bot."""
        last = -1
        try:
            while seat in table.match.waiting and self.hall.tables.get(table.id) is table:
                last = await self._decision(table, seat, last)
        except Fault as fault:
            log.warning("the bot in seat %s of table %s stopped: %s", seat, table.id, fault)
        except Exception:
            log.exception("the bot in seat %s of table %s gave up", seat, table.id)
        finally:
            table.thinkers.pop(seat, None)

    async def _decision(self, table: Table, seat: int, last: int) -> int:
        """One decision, dropped if something was taken back meanwhile; its turn's number."""
        match, rewinds, began = table.match, table.rewinds, time.monotonic()
        numbers = match.legal_numbers(seat)
        quick = len(numbers) == 1 or match.turns == last
        if len(numbers) == 1:
            number = numbers[0]
        else:
            bot = table.seats[seat].bot or levels.DEFAULT
            number = await asyncio.to_thread(choose, table.id, bot, match, seat)
        pause = self.pause * (QUICK if quick else 1)
        await asyncio.sleep(max(0.0, began + pause - time.monotonic()))
        async with self.hall.changing(table):
            if rewinds == table.rewinds and number in table.match.legal_numbers(seat):
                await self.hall.play(table, seat, number)
        return match.turns


def choose(table: str, bot: str, match: Match, seat: int) -> int:
    """A bot's choice. A match in memory is replaced, never written, so a thread may read it.

    The bot's own chance comes from the table's name: the seed of the cards is not its business.
    """
    own = int.from_bytes(hashlib.sha256(f"{table} {seat}".encode()).digest()[:6], "big")
    try:
        return levels.player(bot, own).choose(match, seat).id
    except Exception:
        log.exception("the bot %s failed at table %s; it decides at random", bot, table)
        return levels.player("random", own).choose(match, seat).id
