"""`casual`: a gentle beginner. It overlooks things, as people do."""

from __future__ import annotations

import random

from bottega.bots.greedy import GreedyBot
from bottega.bots.seeds import decision_seed
from bottega.engine.match import Action, Match

OVERLOOKED = 0.35  # share of decisions taken without looking at what they lead to


class CasualBot:
    """Plays like greedy, but every now and then takes the first thing that comes to mind."""

    name = "casual"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._sober = GreedyBot(seed)

    def choose(self, match: Match, seat: int) -> Action:
        mood = random.Random(decision_seed(self.seed, match, seat))
        if mood.random() < OVERLOOKED:
            return match.action(seat, mood.choice(match.legal_numbers(seat)))
        return self._sober.choose(match, seat)
