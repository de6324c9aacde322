"""The games. Each is a folder of the same shape; `find` gives its `Game`."""

from __future__ import annotations

from importlib import import_module

from bottega.engine.errors import UnknownName
from bottega.engine.game import Game

OURS = ("splendor", "renaissance-man", "artificium", "one-card-wonder")
_added: dict[str, Game] = {}


def names() -> list[str]:
    """Every game there is."""
    return [*OURS, *_added]


def find(name: str) -> Game:
    """A game by name. Its code is loaded when it is first asked for."""
    if name in _added:
        return _added[name]
    if name not in OURS:
        raise UnknownName(f"there is no game '{name}'; there is {', '.join(names())}")
    game: Game = import_module(f"bottega.games.{name.replace('-', '_')}").GAME
    return game


def add(game: Game) -> None:
    """Make a game from elsewhere known, beside ours."""
    if game.name in OURS:
        raise UnknownName(f"'{game.name}' is one of our own games")
    _added[game.name] = game
