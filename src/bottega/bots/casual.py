"""`casual`: a gentle beginner. It overlooks things, as people do."""

from __future__ import annotations

import random

from bottega.bots.greedy import GreedyBot
from bottega.bots.seeds import decision_seed
from bottega.bots.steering import BEGINNER
from bottega.engine.match import Action, Match


class CasualBot:
    """Plays like greedy, but every now and then takes the first thing that comes to mind."""

    name = "casual"

    def __init__(self, seed: int = 0, slips: float = BEGINNER.slips) -> None:
        self.seed = seed
        self.slips = slips
        self._sober = GreedyBot(seed)

    def choose(self, match: Match, seat: int) -> Action:
        mood = random.Random(decision_seed(self.seed, match, seat))
        if mood.random() < self.slips:
            return match.action(seat, mood.choice(match.legal_numbers(seat)))
        return self._sober.choose(match, seat)
