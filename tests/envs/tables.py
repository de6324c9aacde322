"""What the tests of the environments share."""

from __future__ import annotations

from typing import Any

import numpy as np

import bottega

# Every game at its smallest and largest number of players.
SIZES = [(name, players) for name in bottega.games() for players in bottega.game(name).seats]


def random_action(mask: Any, chance: np.random.Generator) -> int:
    """One of the legal actions."""
    return int(chance.choice(np.flatnonzero(mask)))


def trade_table(name: str, players: int) -> bool:
    """Whether random play at such a table ever invites a seat."""
    match = bottega.game(name).new(players, seed=1, limit=400)
    chance = np.random.default_rng(1)
    while not match.over:
        if match.invited:
            return True
        seat = match.waiting[0]
        match.play(seat, int(chance.choice(match.legal_numbers(seat))))
    return False
