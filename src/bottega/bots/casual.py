"""`casual`: a gentle beginner. It overlooks things, as people do."""

from __future__ import annotations

import random

from bottega.bots.greedy import GreedyBot
from bottega.bots.loops import NODES
from bottega.bots.start import choices, decision_seed
from bottega.bots.steering import steering
from bottega.engine.errors import BadOption
from bottega.engine.match import Action, Match


class CasualBot:
    """Plays like greedy, but overlooks a share of its choices: so many, or as level 1 does."""

    name = "casual"

    def __init__(self, seed: int = 0, overlooks: float | None = None, nodes: int = NODES) -> None:
        if overlooks is not None and not 0 <= overlooks <= 1:
            raise BadOption(f"overlooks={overlooks} is not a share from 0 to 1")
        self.seed = seed
        self.overlooks = overlooks
        self._careful = GreedyBot(seed, nodes)

    def choose(self, match: Match, seat: int) -> Action:
        numbers = choices(match, seat)
        mood = random.Random(decision_seed(self.seed, match, seat))
        share = self.overlooks
        if share is None:
            share = steering(match.game.name, match.players).levels[0].overlooks
        noticed = [number for number in numbers if mood.random() >= share]
        return self._careful.best(match, seat, noticed or [mood.choice(numbers)])
