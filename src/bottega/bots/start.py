"""What every bot's decision starts from: its choices, and a seed from what everybody knows."""

from __future__ import annotations

import hashlib

from bottega.engine.errors import BadOption
from bottega.engine.match import Match


def choices(match: Match, seat: int) -> list[int]:
    """The numbers of the seat's legal actions; there must be some."""
    numbers = match.legal_numbers(seat)
    if not numbers:
        raise BadOption(f"seat {seat} has nothing to decide now")
    return numbers


def decision_seed(seed: int, match: Match, seat: int) -> int:
    """A number for this decision; nothing hidden goes into it."""
    steps = sum(move.seat == seat for move in match.moves)
    return _hashed(f"{seed} {match.game.name} {seat} {steps}")


def tree_seed(seed: int, tree: int) -> int:
    """A number for each of several trees that are searched for the same decision."""
    return _hashed(f"{seed} tree {tree}")


def _hashed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
