"""A bot in its seat: it thinks in a thread, takes a natural pause and never holds up others."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from bottega.bots import Bot, waking
from bottega.bots.greedy import GreedyBot
from bottega.bots.random import RandomBot
from bottega.engine.match import Match
from bottega.table.playing import levels
from bottega.table.playing.table import Table
from bottega.table.playing.tables import Tables

log = logging.getLogger(__name__)

FAVOURS = 6  # decisions that a bot takes at most unasked before the turn goes on
QUICK = 0.3  # the share of the pause for what is forced, or a further step of the same turn

# Has a bot think about a match for a seat; the number of an action.
Think = Callable[[Bot, Table, Match, int], Awaitable[int]]


class Player:
    """A bot that decides for a seat as long as there is something to decide."""

    def __init__(self, tables: Tables, table: Table, seat: int, think: Think) -> None:
        self.tables = tables
        self.table = table
        self.seat = seat
        self.level = table.seats[seat].bot or levels.DEFAULT
        # Not the table's luck, nor to be guessed.
        self.luck = tables.secret.luck("bot", table.id, seat)
        self._think = think
        self._bot = levels.player(self.level, self.luck)  # one for all: it plans its chains
        self._turn = -1  # of the last decision: further steps of the same turn are quick

    async def decide_all(self) -> int:
        """Decide until there is nothing to decide; the version of the table at which that is so."""
        table, seat = self.table, self.seat
        while True:
            match, version = table.match, table.entry.version
            if seat in match.waiting:
                await self._decide()
                continue
            acted = seat in match.invited and await self._consider()
            if not acted and table.match is match:
                return version

    async def _decide(self) -> None:
        """One decision that the table waits for."""
        match, done, began = self.table.match, self._done(), time.monotonic()
        numbers = match.legal_numbers(self.seat)
        blitz = levels.level(self.level).blitz
        quick = blitz or len(numbers) == 1 or match.turns == self._turn
        if len(numbers) == 1:
            number = numbers[0]
        else:
            number = await self._think(self._bot, self.table, match, self.seat)
        pause = self._pause * (QUICK if quick else 1)
        await asyncio.sleep(max(0.0, began + pause - time.monotonic()))
        await self._play(number, done)
        self._turn = match.turns

    async def _consider(self) -> bool:
        """What the bot does though nobody waits for it, if anything; whether it did."""
        match, done = self.table.match, self._done()
        favours = self.table.favours
        if favours[match.turns, self.seat] >= FAVOURS:
            return False
        await asyncio.sleep(self._pause)
        number = await asyncio.to_thread(consider, self.level, self.luck, match, self.seat)
        if number is None:
            return False
        favours[match.turns, self.seat] += 1
        return await self._play(number, done)

    @property
    def _pause(self) -> float:
        return self.tables.settings.pause / self.table.manners.speed

    def _done(self) -> tuple[int, int]:
        """What changes when something was taken back, or this seat has decided: a thought from
        before is void then."""
        moves = self.table.match.moves
        return self.table.entry.rewinds, sum(move.seat == self.seat for move in moves)

    async def _play(self, number: int, done: tuple[int, int]) -> bool:
        """Play what was thought of, unless something was taken back or changed meanwhile."""
        table, seat = self.table, self.seat

        async def play() -> bool | None:
            if table.manners.pace == "pause":
                return None  # another one has taken the step
            if done != self._done() or number not in table.match.legal_numbers(seat):
                return False
            manners = table.manners.after_a_decision(bots=True)
            await self.tables.play(table, seat, number, manners)
            return True

        played = None
        while played is None:
            while table.manners.pace == "pause":
                await table.news()
            played = await self.tables.change(table, play)
        return played


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
