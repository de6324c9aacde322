"""`learned`: plays by a network alone, at first sight."""

from __future__ import annotations

from pathlib import Path

from bottega.bots.net import Learned
from bottega.bots.policy import by_policy
from bottega.bots.search import SearchBot
from bottega.engine.errors import BadOption
from bottega.engine.match import Action, Match

INSTEAD = 1000  # iterations of the plain search that stands in where no network is


class LearnedBot:
    """Does what its network finds likeliest, or, with some heat, leaves it to chance. Where there
    is no network for the kit on the table, a plain search plays."""

    name = "learned"

    def __init__(self, seed: int = 0, heat: float = 0.0, net: str | Path | None = None) -> None:
        if not isinstance(heat, int | float) or heat < 0:
            raise BadOption(f"heat={heat!r} is not possible: it is 0 or more")
        self.seed = seed
        self.heat = heat
        self._search = SearchBot(seed, iterations=INSTEAD, net=net)

    def learned(self, match: Match) -> Learned | None:
        """The network that it plays by at a table, if there is one for the kit."""
        return self._search.learned(match)

    def choose(self, match: Match, seat: int) -> Action:
        learned = self.learned(match)
        if learned is None:
            return self._search.choose(match, seat)
        return by_policy(match, seat, learned, self.heat, self.seed)
