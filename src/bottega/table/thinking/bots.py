"""Bots at the tables: they think in threads, take a natural pause and never hold up others."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bottega.bots import Bot, waking
from bottega.bots.greedy import GreedyBot
from bottega.bots.random import RandomBot
from bottega.bots.search import SearchBot
from bottega.engine.match import Match
from bottega.table.faults import Fault
from bottega.table.playing import levels
from bottega.table.playing.seating import BOT
from bottega.table.thinking import hints
from bottega.table.thinking.threads import CORES, behind

if TYPE_CHECKING:
    from bottega.table.playing.table import Table
    from bottega.table.playing.tables import Hall

log = logging.getLogger(__name__)

FAVOURS = 6  # decisions that a bot takes at most unasked before the turn goes on
QUICK = 0.3  # the share of the pause for what is forced, or a further step of the same turn

BEHIND = 10  # how far thinking stands behind answering, as `nice` counts
ADVISING = 5  # ... and behind a hint, for which somebody waits


class Thinkers:
    """Starts a bot's thinking whenever a table waits for one, or one may act."""

    def __init__(self, hall: Hall, pause: float) -> None:
        self.hall = hall
        self.pause = pause
        self._pool = behind("thinker", CORES, BEHIND)
        self._advisers = behind("adviser", CORES, ADVISING)
        self._searching = 0  # bots that think hard, at all tables

    async def advise(self, match: Match, seat: int) -> list[dict[str, Any]]:
        """A hint for a seat."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._advisers, hints.hints, match, seat)

    def wake(self, table: Table) -> None:
        """Let every bot think that may decide something and does not think yet."""
        if table.opened or table.match.over:
            return
        for seat in (*table.match.waiting, *table.match.invited):
            if table.seats[seat].kind == BOT and seat not in table.thinkers:
                table.thinkers[seat] = asyncio.create_task(self._think(table, seat))

    async def stop(self, tables: Sequence[Table]) -> None:
        """End all thinking."""
        tasks = [task for table in tables for task in table.thinkers.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for pool in (self._pool, self._advisers):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _think(self, table: Table, seat: int) -> None:
        """Decide until there is nothing to decide for this bot."""
        turn = -1  # of the last decision: further steps of the same turn are quick
        luck = self.hall.secret.luck("bot", table.id, seat)  # not the table's, nor to be guessed
        bot = levels.player(level_of(table, seat), luck)  # one for all: it plans its chains
        try:
            while self.hall.tables.get(table.id) is table:
                match = table.match
                if seat in match.waiting:
                    turn = await self._decide(table, seat, bot, turn)
                    continue
                acted = seat in match.invited and await self._consider(table, seat, luck)
                if not acted and table.match is match:
                    break
        except Fault as fault:
            log.warning("the bot in seat %s of table %s stopped: %s", seat, table.id, fault)
        except Exception:
            log.exception("the bot in seat %s of table %s gave up", seat, table.id)
        finally:
            table.thinkers.pop(seat, None)

    async def _decide(self, table: Table, seat: int, bot: Bot, turn: int) -> int:
        """One decision that the table waits for; its turn's number."""
        match, rewinds, began = table.match, table.rewinds, time.monotonic()
        numbers = match.legal_numbers(seat)
        blitz = levels.level(level_of(table, seat)).blitz
        quick = blitz or len(numbers) == 1 or match.turns == turn
        if len(numbers) == 1:
            number = numbers[0]
        else:
            number = await self._choose(bot, match, seat)
        pause = self.pause * (QUICK if quick else 1) / table.pace.speed
        await asyncio.sleep(max(0.0, began + pause - time.monotonic()))
        await table.pace.turn()
        await self._play(table, seat, number, rewinds)
        return match.turns

    async def _choose(self, bot: Bot, match: Match, seat: int) -> int:
        """What the bot would do. Alone it searches on all cores, else each on one."""
        if not waking.searches(bot, match) or not waking.awake(bot, match):
            return await asyncio.to_thread(choose, bot, match, seat)
        assert isinstance(bot, SearchBot)
        self._searching += 1
        try:
            if self._searching > 1:
                bot.threads = 1
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, choose, bot, match, seat)
        except asyncio.CancelledError:
            bot.stop()
            raise
        finally:
            self._searching -= 1

    async def _consider(self, table: Table, seat: int, luck: int) -> bool:
        """What the bot does though nobody waits for it, if anything; whether it did."""
        match, rewinds = table.match, table.rewinds
        if table.favours[match.turns, seat] >= FAVOURS:
            return False
        await asyncio.sleep(self.pause / table.pace.speed)
        await table.pace.turn()
        level = level_of(table, seat)
        number = await asyncio.to_thread(consider, level, luck, match, seat)
        if number is None:
            return False
        table.favours[match.turns, seat] += 1
        return await self._play(table, seat, number, rewinds)

    async def _play(self, table: Table, seat: int, number: int, rewinds: int) -> bool:
        """Play what was thought of, unless something was taken back or changed meanwhile."""
        async with self.hall.changing(table):
            fits = rewinds == table.rewinds and number in table.match.legal_numbers(seat)
            if fits:
                await self.hall.play(table, seat, number)
            return fits


def level_of(table: Table, seat: int) -> str:
    return table.seats[seat].bot or levels.DEFAULT


def choose(bot: Bot, match: Match, seat: int) -> int:
    """A bot's choice. A match in memory is replaced, never written, so a thread may read it."""
    try:
        return waking.for_now(bot, match).choose(match, seat).id
    except Exception:
        log.exception("the bot %s failed; it decides at random", bot.name)
        return RandomBot().choose(match, seat).id


def consider(level: str, luck: int, match: Match, seat: int) -> int | None:
    """What a bot does in a seat that is only invited; nothing, unless it clearly helps."""
    if level == "random":
        return None
    action = GreedyBot(luck, waking.nodes(match.game)).consider(match, seat)
    return None if action is None else action.id
