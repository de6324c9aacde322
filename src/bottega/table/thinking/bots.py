"""A bot in its seat: it thinks in a thread, takes a natural pause and never holds up others."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

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
# The turn of a table's bots among others of the same host, as soon as there is one.
Turn = Callable[[Table], AbstractAsyncContextManager[None]]


class Player:
    """A bot that decides for a seat as long as there is something to decide."""

    def __init__(self, tables: Tables, table: Table, seat: int, think: Think, turn: Turn) -> None:
        self.tables = tables
        self.table = table
        self.seat = seat
        self.level = table.seats[seat].bot or levels.DEFAULT
        # Not the table's luck, nor to be guessed.
        self.luck = tables.secret.luck("bot", table.id, seat)
        self._think = think
        self._hold = turn
        self.bot = levels.player(self.level, self.luck)  # one for all: it plans its chains
        self._turn = -1  # in which it last showed something: further steps of it are quick
        self._since: float | None = None  # when it set about what it shows next

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
        match, done = self.table.match, self._done()
        async with self._hold(self.table):
            self._since = self._since or time.monotonic()
            number = await self._choice(match)
            await asyncio.sleep(self._to_wait(number))
        if await self._play(number, done) and not self.table.match.private(self.seat):
            self._turn, self._since = match.turns, None

    async def _choice(self, match: Match) -> int:
        numbers = match.legal_numbers(self.seat)
        if len(numbers) == 1:
            return numbers[0]
        return await self._think(self.bot, self.table, match, self.seat)

    def _to_wait(self, number: int) -> float:
        """Seconds until a step may be taken. There is a pause before what others see, less what was
        thought and done unseen before: how many steps those were, nobody is to tell by the time."""
        match, seat = self.table.match, self.seat
        numbers = match.legal_numbers(seat)
        blitz = levels.level(self.level).blitz
        quick = blitz or len(numbers) == 1 or match.turns == self._turn
        pause = self._pause * (QUICK if quick else 1)
        left = (self._since or 0.0) + pause - time.monotonic()
        hidden = left <= 0 or number not in numbers or keeps_to_itself(match, seat, number)
        return 0.0 if hidden else left

    async def _consider(self) -> bool:
        """What the bot does though nobody waits for it, if anything; whether it did."""
        match, done = self.table.match, self._done()
        favours = self.table.favours
        if favours[match.turns, self.seat] >= FAVOURS:
            return False
        async with self._hold(self.table):
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
            if self._to_wait(number):
                return None  # another one has sealed a choice: this one's reveals it now
            manners = table.manners.after_a_decision(bots=True)
            await self.tables.play(table, seat, number, manners)
            return True

        played = None
        while played is None:
            while table.manners.pace == "pause":
                await table.news()
            await asyncio.sleep(self._to_wait(number))
            played = await self.tables.change(table, play)
        return played


def keeps_to_itself(match: Match, seat: int, number: int) -> bool:
    """Whether nobody else is told of an action."""
    trial = match.copy()
    trial.play(seat, number)
    return trial.private(seat)


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
