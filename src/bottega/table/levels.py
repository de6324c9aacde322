"""The bots that a table offers, in rising strength."""

from __future__ import annotations

from dataclasses import dataclass

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


LEVELS = (
    Level("random", "Novice", "Does anything the rules allow. Good for a first look.", "random"),
    Level("greedy", "Apprentice", "Takes what looks best right now, and often is.", "greedy"),
)
DEFAULT = LEVELS[-1].name


def level(name: str) -> Level:
    """A level by name."""
    for known in LEVELS:
        if known.name == name:
            return known
    there = ", ".join(known.name for known in LEVELS)
    raise UnknownName(f"there is no bot '{name[:40]}'; there is {there}")


def player(name: str, seed: int) -> bots.Bot:
    """The bot of a level."""
    chosen = level(name)
    return bots.find(chosen.bot, chosen.strength, seed)
