"""Random games as a list of hashes, one a move: everything that the rules compute."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

import bottega
from bottega.engine.match import Match
from tests.games.properties import new_table, random_play

MOVES = 150


def lines(name: str) -> Iterator[str]:
    """One line a move: the game, the players, the move and a hash."""
    game = bottega.game(name)
    for players in sorted({*game.seats}):
        for seed in (11, 12):
            played = random_play(new_table(game, players, seed), seed)
            for number, match in zip(range(MOVES), played, strict=False):
                yield f"{name} {players} {seed} {number} {digest(match)}"


def digest(match: Match) -> str:
    """A hash of the record, of twins of it, and of what bots and programs get from it."""
    whole = hashlib.sha256(match.state())
    for seat in [None, *range(match.players)]:
        whole.update(match.concealed(seat, 9).tobytes())
    for seat in range(match.players):
        whole.update(match.encode(seat).tobytes())
    # Compiled code may fuse multiplications and additions; chances agree but for rounding.
    whole.update(np.round(match.chances(None, samples=1), 6).tobytes())
    whole.update(repr(match.standings).encode())
    return whole.hexdigest()[:16]
