"""Seeds for the decisions of bots: from the bot's own seed and what everybody knows."""

from __future__ import annotations

import hashlib

from bottega.engine.match import Match


def decision_seed(seed: int, match: Match, seat: int) -> int:
    """A number for this decision; nothing hidden goes into it."""
    steps = sum(move.seat == seat for move in match.moves)
    text = f"{seed} {match.game.name} {seat} {steps}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
