"""Who sits where: bots as they are named on the command line, each in one word."""

from __future__ import annotations

from bottega.bots import Named
from bottega.engine.errors import BadOption


def read(text: str) -> list[Named]:
    """The bots of a text, each checked."""
    found = [Named.read(word.strip()) for word in text.split(",")]
    for bot in found:
        bot.make(0)
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
