"""`random`: any legal action, each as likely as the others."""

from __future__ import annotations

from bottega.bots.start import choices, decision_seed
from bottega.engine.match import Action, Match


class RandomBot:
    """Decides at random."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, match: Match, seat: int) -> Action:
        numbers = choices(match, seat)
        return match.action(seat, numbers[decision_seed(self.seed, match, seat) % len(numbers)])
