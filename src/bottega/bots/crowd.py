"""Whole games between bots that are compiled, by the thousand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bottega.bots import loops, net
from bottega.bots.greedy import new_scratch
from bottega.engine.errors import BadOption
from bottega.engine.game import Game
from bottega.engine.record import blank
from bottega.engine.runs import Array, Plan, Worker

KINDS: dict[str, int] = {
    "random": loops.RANDOM,
    "greedy": loops.GREEDY,
    "learned": loops.LEARNED,
}


def new_mind(game: Game, learned: net.Learned | None) -> loops.Mind:
    """A network as the loops take it, or what stands where there is none."""
    weights = learned.net if learned else net.empty()
    return loops.Mind(np.zeros(game.observation, np.float32), weights, net.new_sheet(weights))


def mind_for(bots: Sequence[str], plan: Plan) -> loops.Mind:
    """The mind of those bots that have one. At thousands of tables nobody stands in for them."""
    what = plan.game, plan.kit, plan.players
    learned = net.find(*what) if "learned" in bots else None
    if "learned" in bots and learned is None:
        raise BadOption(net.why_not(*what))
    return new_mind(plan.game, learned)


def bots_worker(plan: Plan, bots: list[str], scratch: loops.Scratch | None = None) -> Worker:
    """Plays games between compiled bots, one of KINDS for each seat. Whoever brings the memory
    can look at the table where each game has ended."""
    game = plan.game
    play = game.code(loops.games_between)
    kinds = np.array([KINDS[bot] for bot in bots], np.int64)
    scratch = scratch or new_scratch(game)
    mind = mind_for(bots, plan)
    empty = blank(game.table)

    def work(first: int, rows: tuple[Array, Array, Array, Array]) -> None:
        play(
            plan.kit.record,
            kinds,
            scratch,
            mind,
            empty,
            plan.options,
            plan.players,
            plan.seed_of(first),
            plan.limit,
            *rows,
        )

    return work


def place(scratch: loops.Scratch) -> Any:
    """The table on which whole games between bots are played; after a game, its end."""
    return scratch.tables[loops.DEPTH + 1]
