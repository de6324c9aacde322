"""Who sits where: bots as they are named on the command line, `greedy,random` or `search:3`."""

from __future__ import annotations

from dataclasses import dataclass

from bottega import bots
from bottega.engine.errors import BadOption


@dataclass(frozen=True)
class Named:
    """A bot by name, with a level where it has levels."""

    name: str
    level: int | None = None

    def __str__(self) -> str:
        return self.name if self.level is None else f"{self.name}:{self.level}"

    def make(self, seed: int) -> bots.Bot:
        return bots.find(self.name, self.level, seed)


def read(text: str) -> list[Named]:
    """The bots of a text, each checked."""
    found = []
    for word in text.split(","):
        name, colon, level = word.strip().partition(":")
        if colon and not level.isdecimal():
            raise BadOption(f"the level of the bot {name} must be a number, not '{level}'")
        found.append(Named(name, int(level) if colon else None))
        found[-1].make(0)
    return found


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
