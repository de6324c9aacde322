"""The bots that a table offers, in rising strength."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bottega import bots
from bottega.engine.errors import UnknownName

FIRST_NAMES = ("Bice", "Cosimo", "Fiammetta", "Lapo", "Nencia", "Piero", "Simonetta", "Vanni")


@dataclass(frozen=True)
class Level:
    """A bot as people choose it."""

    name: str  # what a form sends and a table stores
    title: str
    text: str
    bot: str  # its name in `bottega.bots`
    strength: int | None = None  # its level there, for a bot that has levels
    blitz: bool = False  # whether it answers at once


LEVELS = (
    Level("random", "Novice", "Does anything the rules allow.", "random"),
    *(
        Level(f"search-{strength}", level.title, level.text, "search", strength)
        for strength, level in bots.LEVELS.items()
    ),
)
BLITZ = "-blitz"  # behind the name of a level: it answers in under 0.3 seconds
DEFAULT = "search-2"  # where nothing is said; good company in every game
# What programs may ask for besides: the bots of `bottega.bots`, `search` being the strongest.
KNOWN = (*LEVELS, Level("greedy", "Greedy", "Takes what looks best at once.", "greedy"))
ALSO = {"casual": "search-1", "search": "search-5"}


def offered(game: str) -> list[Level]:
    """The levels of a game that were measured to rise in strength."""
    known = bots.offered(game)
    return [level for level in LEVELS if level.strength is None or level.strength in known]


def level(name: str) -> Level:
    """A level by name; with `-blitz` behind it, as it is when it answers at once."""
    plain = name.removesuffix(BLITZ)
    for known in KNOWN:
        if known.name == ALSO.get(plain, plain):
            quick = plain != name
            return replace(known, name=known.name + BLITZ, blitz=True) if quick else known
    there = ", ".join(known.name for known in KNOWN)
    raise UnknownName(f"there is no bot '{name[:40]}'; there is {there}")


def player(name: str, seed: int) -> bots.Bot:
    """The bot of a level."""
    chosen = level(name)
    how = {"blitz": True} if chosen.blitz and chosen.bot == "search" else {}
    return bots.find(chosen.bot, chosen.strength, seed, **how)
