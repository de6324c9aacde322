"""`greedy`: looks through its own next chain of decisions and takes the best by `judge`."""

from __future__ import annotations

from typing import Any

import numpy as np

from bottega.bots import loops
from bottega.bots.start import choices, decision_seed
from bottega.engine.game import Game
from bottega.engine.loops import CHOOSER
from bottega.engine.match import Action, Match
from bottega.engine.record import blank


def new_scratch(game: Game) -> loops.Scratch:
    """The memory that compiled bots work in. On the last table whole games are played; after a
    game, it shows its end."""
    most = game.seats[1]
    return loops.Scratch(
        tables=blank(game.table, loops.DEPTH + 2),
        masks=np.zeros((loops.DEPTH + 1, game.mask_words), np.uint64),
        chances=np.zeros(most),
        standing=np.zeros((most, 2), np.int64),
        choosers=blank(CHOOSER, 3),
    )


class GreedyBot:
    """Takes what looks best one chain of decisions ahead."""

    name = "greedy"

    def __init__(self, seed: int = 0, nodes: int = loops.NODES) -> None:
        self.seed = seed
        self.nodes = nodes  # decisions that it tries before it stops going deeper

    def choose(self, match: Match, seat: int) -> Action:
        return self.best(match, seat, choices(match, seat))

    def best(self, match: Match, seat: int, numbers: list[int]) -> Action:
        """The best one of some legal actions."""
        return match.action(seat, self._ask(loops.open_greedy, match, seat, numbers))

    def consider(self, match: Match, seat: int) -> Action | None:
        """What the bot does in a seat that is only invited: nothing, unless it clearly helps."""
        number = self._ask(loops.open_consider, match, seat, choices(match, seat))
        return None if number == loops.NOTHING else match.action(seat, number)

    def _ask(self, door: Any, match: Match, seat: int, numbers: list[int]) -> int:
        seed = np.uint64(decision_seed(self.seed, match, seat))
        table = match.concealed(seat, int(seed))
        scratch = new_scratch(match.game)
        bits = np.zeros(64 * match.game.mask_words, np.bool_)
        bits[numbers] = True
        scratch.masks[0] = np.packbits(bits, bitorder="little").view(np.uint64)
        number = match.game.code(door)(match.kit.record, table, seat, seed, self.nodes, scratch)
        return int(number)
