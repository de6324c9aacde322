"""Bottega: tabletop games with exact rules, for people, programs and designers."""

from __future__ import annotations

from pathlib import Path

from bottega import bots as _bots
from bottega import games as _games
from bottega.bots import Bot
from bottega.engine import notation as _notation
from bottega.engine.errors import (
    BadOption,
    BottegaError,
    CannotUndo,
    IllegalMove,
    KitError,
    NotationError,
    UnknownName,
)
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.match import Action, Match

__version__ = "0.1.0"


# The function takes the place of the subpackage's name here; `from bottega.games import ...`
# works all the same.
def games() -> list[str]:
    """The names of the games."""
    return _games.names()


def game(name: str) -> Game:
    """A game by name: its title, seats, options, and `new` for a fresh table."""
    return _games.find(name)


def bot(name: str, level: int | None = None, seed: int = 0) -> Bot:
    """A bot by name; `bot.choose(match, seat)` decides from what the seat may know."""
    return _bots.find(name, level, seed)


def replay(text: str, kit: str | Path | Kit | None = None) -> Match:
    """The match that a notation describes, played through to its last move."""
    return _notation.read(text, game, kit)


__all__ = [
    "Action",
    "BadOption",
    "Bot",
    "BottegaError",
    "CannotUndo",
    "Game",
    "IllegalMove",
    "Kit",
    "KitError",
    "Match",
    "NotationError",
    "UnknownName",
    "bot",
    "game",
    "games",
    "replay",
]
