"""Bottega: tabletop games with exact rules, for people, programs and designers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    NetError,
    NotationError,
    UnknownName,
)
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.match import Action, Match
from bottega.engine.option import Value

if TYPE_CHECKING:
    from bottega.engine.runs import Outcomes
    from bottega.envs.batch import Batch

__version__ = "0.1.0"


# The function takes the place of the subpackage's name here; `from bottega.games import ...`
# works all the same.
def games() -> list[str]:
    """The names of the games."""
    return _games.names()


def game(name: str) -> Game:
    """A game by name: its title, seats, options, and `new` for a fresh table."""
    return _games.find(name)


def bot(name: str, level: int | None = None, seed: int = 0, **how: Any) -> Bot:
    """A bot by name; `bot.choose(match, seat)` decides from what the seat may know.

    `how` is what the bot takes: for `search` so many `iterations`, `seconds` and `threads`. The
    arena's short names (`search:3`, `search@2000`) mean the same here.
    """
    return _bots.find(name, level, seed, **how)


def replay(text: str, kit: str | Path | Kit | None = None) -> Match:
    """The match that a notation describes, played through to its last move."""
    return _notation.read(text, game, kit)


def batch(
    game: str,
    tables: int,
    players: int | None = None,
    *,
    device: str = "cpu",
    seed: int = 0,
    threads: int | None = None,
    limit: int = 10_000,
    kit: str | Path | Kit = "default",
    invitations: bool = False,
    auto_reset: bool = True,
    **options: Value,
) -> Batch:
    """Thousands of tables, stepped together in compiled code, on the CPU or on a GPU.

    With `invitations`, seats that are only invited are asked too, and one action more lets the
    invitation pass. With `auto_reset`, a table that is over is dealt anew at once.
    """
    from bottega.envs.batch import make

    return make(
        _games.find(game),
        tables,
        players,
        device=device,
        seed=seed,
        threads=threads,
        limit=limit,
        kit=kit,
        invitations=invitations,
        auto_reset=auto_reset,
        **options,
    )


def playouts(
    game: str,
    games: int,
    players: int | None = None,
    *,
    device: str = "cpu",
    seed: int = 0,
    threads: int | None = None,
    limit: int = 10_000,
    kit: str | Path | Kit = "default",
    **options: Value,
) -> Outcomes:
    """Whole games of random legal play in one call: the places, scores and lengths.

    Game g is dealt from `seed + g`; the games are the same on any device.
    """
    from bottega.envs.batch import playouts as play

    return play(
        _games.find(game),
        games,
        players,
        device=device,
        seed=seed,
        threads=threads,
        limit=limit,
        kit=kit,
        **options,
    )


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
    "NetError",
    "NotationError",
    "UnknownName",
    "batch",
    "bot",
    "game",
    "games",
    "playouts",
    "replay",
]
