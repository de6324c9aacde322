"""Searches at many tables at once.

Without a GPU each core searches one table after the other in compiled code (`Searches`). With one,
every table has a tree of its own (`Forest`): all trees go down one way on the CPU's cores, the
network is asked about all leaves at once, and all trees take its answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bottega.bots import guided, net
from bottega.bots.tree import NONE
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.runs import Array
from bottega.envs.shares import Shares

WORTH = 8  # tables that are worth a thread's while
NOT_STOPPED = np.zeros(1, np.bool_)

Evaluate = Callable[[Array, Array], tuple[Array, Array]]


class Searches:
    """Tables of one game that are searched one after the other, on every core."""

    def __init__(self, game: Game, kit: Kit, tables: int, iterations: int, knobs: Array) -> None:
        self.game = game
        self.kit = kit
        self.knobs = knobs
        self.shares = np.array(guided.shared_out(iterations, int(knobs[guided.WIDTH])), np.int64)
        self.found = guided.new_found(game, tables)
        self._parts = Shares(tables, None, WORTH)
        self._found = [
            guided.Found(*(array[rows] for array in self.found)) for rows in self._parts.rows
        ]
        self._trees = self._new_trees(iterations + 1)

    def _new_trees(self, nodes: int) -> list[guided.Memory]:
        """One for each part of the tables."""
        return [guided.new_memory(self.game, nodes) for _ in self._parts.rows]

    def take(self, weights: net.Net) -> None:
        """Be guided by a network from now on."""
        self._weights = weights
        self._sheets = [net.new_sheet(weights) for _ in self._parts.rows]

    def search(self, tables: Any, seats: Array, seeds: Array, noise: Array) -> guided.Found:
        """Search at each table for its seat (-1: not at all)."""
        for array in self.found:
            array[:] = 0
        self._run(
            guided.search_range,
            lambda rows, part: (
                self.kit.record,
                tables[rows],
                seats[rows],
                seeds[rows],
                noise[rows],
                self.shares,
                NOT_STOPPED,
                self.knobs,
                self._weights,
                self._sheets[part],
                self._trees[part],
                self._found[part],
            ),
        )
        return self.found

    def _run(self, function: Any, arguments: Callable[[slice, int], tuple[Any, ...]]) -> None:
        parts = [arguments(rows, part) for part, rows in enumerate(self._parts.rows)]
        self._parts.run(self.game.code(function), parts)


class Forest(Searches):
    """The same with a tree for each table, all asking the network at once (`evaluate`)."""

    def __init__(
        self,
        game: Game,
        kit: Kit,
        tables: int,
        iterations: int,
        knobs: Array,
        evaluate: Evaluate,
    ) -> None:
        super().__init__(game, kit, tables, iterations, knobs)
        self._evaluate = evaluate
        self._actors = np.zeros(tables, np.int64)

    def _new_trees(self, nodes: int) -> list[guided.Memory]:
        """One for each table; what there is for each part of them."""
        self._forest = guided.new_memory(self.game, nodes, (len(self.found.worth),))
        return [
            guided.Memory(*(array[rows] for array in self._forest)) for rows in self._parts.rows
        ]

    def search(self, tables: Any, seats: Array, seeds: Array, noise: Array) -> guided.Found:
        for array in self.found:
            array[:] = 0
        self._forest.noise[:] = noise
        self._forest.index[:] = NONE
        self._forest.used[:] = 0
        for number, share in enumerate([1, *self.shares.tolist()]):
            for _ in range(share):
                self._iterate(tables, seats, seeds)
            self._end_round(seats, 1.0 - number / len(self.shares))
        self._run(
            guided.look_range,
            lambda rows, part: (seats[rows], self.knobs, self._trees[part], self._found[part]),
        )
        return self.found

    def _end_round(self, seats: Array, to_go: float) -> None:
        self._run(
            guided.cut_range,
            lambda rows, part: (
                seats[rows],
                to_go,
                self.knobs,
                self._trees[part],
                self._found[part],
            ),
        )

    def _iterate(self, tables: Any, seats: Array, seeds: Array) -> None:
        """One way down in every tree, and what the network says of its end."""
        self._run(
            guided.descend_range,
            lambda rows, part: (
                self.kit.record,
                tables[rows],
                seats[rows],
                seeds[rows],
                self.knobs,
                self._trees[part],
                self._actors[rows],
            ),
        )
        scores, chances = self._evaluate(self._forest.seen, self._forest.masks[:, 0])
        self._run(
            guided.settle_range,
            lambda rows, part: (
                self.kit.record,
                seats[rows],
                self._actors[rows],
                scores[rows],
                chances[rows],
                self.knobs,
                self._trees[part],
            ),
        )
