"""Who sits where at a match in the terminal.

A notation knows names only. Bots are named after what they are (`Greedy 2`), so that a resumed
match finds its bots again.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from random import Random

from rich.console import Console

import bottega
from bottega.bots import Named
from bottega.engine.errors import BadOption, BottegaError
from bottega.engine.game import MOST_SEED, Game, check_number
from bottega.engine.match import Match
from bottega.engine.option import Value
from bottega.lab import lineup
from bottega.terminal.files import read_notation
from bottega.terminal.play import Session

USUAL = "greedy"  # the bots, if none are named


def begin(
    game: Game,
    console: Console,
    *,
    players: int | None = None,
    seat: int | None = None,
    bots: str | None = None,
    seed: int | None = None,
    kit: str = "default",
    options: Mapping[str, Value] | None = None,
    name: str | None = None,
) -> Session:
    """A fresh match. Where the person sits is drawn by lot, if not wished otherwise."""
    players = game.check_players(players)
    others = lineup.seated(bots or USUAL, players - 1)
    seed = secrets.randbits(64) if seed is None else check_number("seed", seed, MOST_SEED)
    if seat is None:
        seat = Random(seed).randrange(players)
    names = [f"{str(bot).capitalize()} {number}" for number, bot in enumerate(others, start=1)]
    names.insert(seat, name or "Player")
    match = Match(
        game, game.kit(kit), players, seed, game.check_options(options or {}), names=names
    )
    return Session(match, seat, around(match, seat, others), console)


def resume(
    game: Game,
    console: Console,
    file: Path,
    *,
    seat: int | None = None,
    bots: str | None = None,
    kit: str | None = None,
) -> Session:
    """A saved match, with the person in the seat that no bot had."""
    match = bottega.replay(read_notation(file), kit)
    if match.game.name != game.name:
        raise BadOption(f"{file} is a match of {match.game.title}, not of {game.title}")
    if match.over:
        raise BadOption(f"the match of {file} is over; see it with: bottega replay {file}")
    found = [bot_named(name) for name in match.names]
    if seat is None:
        seat = found.index(None) if None in found else 0
    match.check_seat(seat)
    if bots is not None:
        others = lineup.seated(bots, match.players - 1)
    else:
        others = [bot or Named(USUAL) for bot in found[:seat] + found[seat + 1 :]]
    return Session(match, seat, around(match, seat, others), console, file)


def around(match: Match, seat: int, others: list[Named]) -> dict[int, bottega.Bot]:
    """The bots in the other seats, in order."""
    match.check_seat(seat)
    free = [other for other in range(match.players) if other != seat]
    return {other: bot.make(other) for other, bot in zip(free, others, strict=True)}


def bot_named(name: str) -> Named | None:
    """The bot that was given such a name."""
    try:
        return lineup.read(name.lower().rpartition(" ")[0])[0]
    except BottegaError:
        return None
