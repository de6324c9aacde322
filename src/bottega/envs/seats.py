"""One seat against bots at thousands of tables, stepped in one compiled call.

Gymnasium's vector environments are made of this (`vector.py`). Only bots that are compiled can
sit there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import bottega
from bottega.bots import Bot
from bottega.bots.crowd import KINDS, mind_for
from bottega.bots.greedy import new_scratch
from bottega.engine.errors import BadOption
from bottega.engine.game import MOST_SEED, check_number
from bottega.engine.language import listing
from bottega.engine.loops import CHOOSER
from bottega.engine.record import blank
from bottega.engine.runs import Array, Plan
from bottega.envs import loops, seat_loops
from bottega.envs.batch import chooser_seeds, new_setup
from bottega.envs.shares import Shares

WORTH = 128  # tables that are worth a thread's while: bots think at each

Opponents = str | Sequence[str]  # "greedy", "search:3"; one for all, or one for each other seat


class SeatTables:
    """The tables of an agent, and what it gets to know of them.

    All arrays are written in place. A table that is over is dealt anew by the next step, which
    ignores the action given to it.
    """

    def __init__(
        self,
        plan: Plan,
        opponents: Opponents = "greedy",
        seat: int | str = "any",
        threads: int | None = None,
    ) -> None:
        size, game = plan.games, plan.game
        place = check_place(seat, plan.players)
        self.plan = plan
        self.seats = np.zeros(size, np.int64)  # [table], where the agent sits
        self.rewards = np.zeros(size, np.float32)  # [table], of the last step
        self.terminated = np.zeros(size, np.bool_)  # [table], the last step ended the game
        self.truncated = np.zeros(size, np.bool_)  # [table], or its limit did
        self.observations = np.zeros((size, game.observation), np.float32)
        self._place = seat_loops.ANY_SEAT if place is None else place
        bots = check_opponents(opponents, plan.players)
        self._kinds = compiled_kinds(bots)
        self._tables = blank(game.table, size)
        self._notes = blank(loops.NOTE, size)
        self._masks = np.zeros((size, game.mask_words), np.uint64)
        self._choosers = blank(CHOOSER, size)
        self._empty = blank(game.table)
        self._shares = Shares(size, threads, WORTH)
        self._scratches = [new_scratch(game) for _ in self._shares.rows]
        self._minds = [mind_for(bots, plan) for _ in self._shares.rows]
        self._gains = np.zeros((len(self._shares.rows), plan.players), np.float32)

    def reset(self, seed: int) -> None:
        """Deal everywhere: table i from the seed + i."""
        self._seed = check_number("seed", seed, MOST_SEED)
        self._notes[:] = 0
        self._choosers["rng"] = chooser_seeds(seed, self.plan.games)
        self._run(np.zeros(self.plan.games, np.int64), fresh=True)

    def step(self, actions: Any) -> None:
        """The agent's decision at each table, then those of the bots, until it is asked again."""
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.plan.games,):
            raise BadOption(f"step takes {self.plan.games} actions, one for each table")
        self._run(chosen, fresh=False)

    def legal(self) -> Array:
        """[table, action], what the agent may do, as 0 or 1 (`int8`); all 0 where it is over."""
        words = self._masks.view(np.uint8)
        actions = self.plan.game.actions
        return np.unpackbits(words, axis=1, count=actions, bitorder="little").view(np.int8)

    def _run(self, actions: Array, *, fresh: bool) -> None:
        jobs = [
            self._job(part, rows, actions[rows], fresh)
            for part, rows in enumerate(self._shares.rows)
        ]
        self._shares.run(self.plan.game.code(seat_loops.seat_steps), jobs)

    def _job(self, part: int, rows: slice, actions: Array, fresh: bool) -> tuple[Any, ...]:
        """What the loop takes for some of the tables."""
        plan = self.plan
        return (
            plan.kit.record,
            new_setup(plan, self._seed, rows.start),
            self._empty,
            plan.options,
            self._kinds,
            self._place,
            fresh,
            self._tables[rows],
            self._notes[rows],
            self.seats[rows],
            self._masks[rows],
            self.rewards[rows],
            self.terminated[rows],
            self.truncated[rows],
            self.observations[rows],
            self._choosers[rows],
            actions,
            self._scratches[part],
            self._minds[part],
            self._gains[part],
        )


def check_opponents(opponents: Opponents, players: int) -> list[str]:
    """A bot for each other seat, clockwise from the agent's."""
    given = opponents.split(",") if isinstance(opponents, str) else opponents
    names = [name.strip() for name in given]
    if len(names) == 1:
        names *= players - 1
    if len(names) != players - 1:
        raise BadOption(f"{len(names)} opponents for {players - 1} seats")
    for name in names:
        find_bot(name, 0)
    return names


def find_bot(name: str, seed: int) -> Bot:
    """A bot by the word that names it: greedy, learned, search:3, search@2000."""
    return bottega.bot(name, seed=seed)


def compiled_kinds(names: list[str]) -> Array:
    """The bots as the loops know them, behind the agent's own place."""
    for name in names:
        if name not in KINDS:
            raise BadOption(
                f"'{name}' does not play at many tables at once, only {listing(tuple(KINDS))} do; "
                "with vectorization_mode='sync' any bot plays"
            )
    return np.array([0, *(KINDS[name] for name in names)], np.int64)


def check_place(seat: int | str, players: int) -> int | None:
    """The agent's seat; none to have it drawn for each game."""
    if seat == "any":
        return None
    if isinstance(seat, int) and not isinstance(seat, bool) and 0 <= seat < players:
        return seat
    raise BadOption(f"seat={seat!r} is not possible: it must be 'any' or from 0 to {players - 1}")
