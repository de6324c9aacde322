"""Who sits where: bots as they are named on the command line.

`greedy`, `search:3` for a level, `search@2000` for so many iterations a decision. They count
iterations, not seconds, each on one thread: a game is the same on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from bottega import bots
from bottega.bots.search import SearchBot
from bottega.engine.errors import BadOption


@dataclass(frozen=True)
class Named:
    """A bot by name, with a level where it has levels."""

    name: str
    level: int | None = None
    iterations: int | None = None

    def __str__(self) -> str:
        if self.iterations is not None:
            return f"{self.name}@{self.iterations}"
        return self.name if self.level is None else f"{self.name}:{self.level}"

    def make(self, seed: int) -> bots.Bot:
        if self.iterations is not None:
            return SearchBot(seed, iterations=self.iterations)
        if self.name == SearchBot.name and self.level is not None:
            return SearchBot(seed, level=self.level)
        return bots.find(self.name, self.level, seed)


def read(text: str) -> list[Named]:
    """The bots of a text, each checked."""
    found = [_one(word.strip()) for word in text.split(",")]
    for bot in found:
        bot.make(0)
    return found


def _one(word: str) -> Named:
    name, at, iterations = word.partition("@")
    if at:
        if name != "search" or not iterations.isdecimal() or int(iterations) < 1:
            raise BadOption(f"'{word}' is no bot; search@2000 searches for 2000 iterations")
        return Named(name, iterations=int(iterations))
    name, colon, level = word.partition(":")
    if colon and not level.isdecimal():
        raise BadOption(f"the level of the bot {name} must be a number, not '{level}'")
    return Named(name, int(level) if colon else None)


def seated(text: str, seats: int) -> list[Named]:
    """One bot for each seat: those named, in order, or the only one named for all."""
    found = read(text)
    if len(found) == 1:
        return found * seats
    if len(found) != seats:
        raise BadOption(
            f"{len(found)} bots for {seats} seats: name one for all seats, or one for each"
        )
    return found
