"""Searches at many tables at once.

Without a GPU each core searches one table after the other in compiled code (`Searches`). With one,
every table has a tree of its own there (`Forest`): all trees go down one way, the network is asked
about all leaves at once, and all trees take its answer. Nothing leaves the GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from bottega.bots import guided, net
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.runs import Array
from bottega.envs.dlpack import Lent
from bottega.envs.shares import Shares

KERNELS = "bottega.train.kernels"
BLOCK = 128  # threads of a block
WORTH = 8  # tables that are worth a thread's while
NOT_STOPPED = np.zeros(1, np.bool_)


class Searches:
    """Tables of one game that are searched one after the other, on every core."""

    def __init__(self, game: Game, kit: Kit, tables: int, iterations: int, knobs: Array) -> None:
        self.game = game
        self.tables = tables
        self.iterations = iterations
        self.shares = guided.shared_out(iterations, int(knobs[guided.WIDTH]))
        self._roots: Any = None  # the tables of all batches
        self._place(kit, knobs)

    def _place(self, kit: Kit, knobs: Array) -> None:
        self.found = guided.new_found(self.game, self.tables)
        self._kit, self._knobs = kit, knobs
        self._roots = np.zeros(self.tables, self.game.table)
        self._parts = Shares(self.tables, None, WORTH)
        self._found = [
            guided.Found(*(array[rows] for array in self.found)) for rows in self._parts.rows
        ]
        self._trees = [guided.new_memory(self.game, self.iterations + 1) for _ in self._parts.rows]

    def take(self, weights: net.Net) -> None:
        """Be guided by a network from now on."""
        self._weights = weights
        self._sheets = [net.new_sheet(weights) for _ in self._parts.rows]

    def search(self, states: Sequence[Any], seats: Any, seeds: Any, noise: Any) -> guided.Found:
        """Search at each table of some batches for its seat (-1: not at all)."""
        np.concatenate(states, out=self._roots)
        for array in self.found:
            array[:] = 0
        shares = np.array(self.shares, np.int64)
        arguments = [
            (
                self._kit.record,
                self._roots[rows],
                seats[rows],
                seeds[rows],
                noise[rows],
                shares,
                NOT_STOPPED,
                self._knobs,
                self._weights,
                self._sheets[part],
                self._trees[part],
                self._found[part],
            )
            for part, rows in enumerate(self._parts.rows)
        ]
        self._parts.run(self.game.code(guided.search_range), arguments)
        return self.found


class Leaves(NamedTuple):
    """Where all trees' ways down ended, and what the network says of it."""

    seen: Any  # [table, number], what those who decide there know
    masks: Any  # [table, 1, word], what they may do
    scores: Any  # [table, action], how likely they would choose it
    chances: Any  # [table, outcome]


class Forest(Searches):
    """The same on a GPU, with a tree for each table. `answer` fills in what the network says of the
    leaves."""

    def __init__(
        self,
        game: Game,
        kit: Kit,
        tables: int,
        iterations: int,
        knobs: Array,
        answer: Callable[[], None],
    ) -> None:
        super().__init__(game, kit, tables, iterations, knobs)
        self._answer = answer

    def _place(self, kit: Kit, knobs: Array) -> None:
        from bottega.envs.cuda import code_of, find_cuda

        cuda, game, tables = find_cuda(), self.game, self.tables
        self._cuda, self._code = cuda, code_of(game)
        self._kernels = import_module(KERNELS)
        self._kit, self._knobs = cuda.to_device(kit.record), cuda.to_device(knobs)
        self._roots = cuda.device_array(tables, game.table)
        self._actors = cuda.device_array(tables, np.int64)
        forest = guided.new_memory(game, self.iterations + 1, (tables,), cuda.device_array)
        # Stored by columns: trees side by side write side by side.
        seen = cuda.device_array((tables, game.observation), np.float32, order="F")
        self._forest = forest._replace(seen=seen)
        outcomes = net.outcomes_of(game)
        self._scores = cuda.device_array((tables, game.actions), np.float32)
        self._chances = cuda.device_array((tables, outcomes), np.float32)
        self._found_there = guided.new_found(game, tables, cuda.device_array)
        self.found = guided.Found(*map(self._show, self._found_there))
        leaves = seen, forest.masks, self._scores, self._chances
        self.leaves = Leaves(*map(self._show, leaves))

    def _show(self, array: Any) -> Lent:
        return Lent(array, self._cuda.synchronize)

    def search(self, states: Sequence[Any], seats: Any, seeds: Any, noise: Any) -> guided.Found:
        at = 0
        for state in states:
            self._roots[at : at + len(state)].copy_to_device(getattr(state, "array", state))
            at += len(state)
        seats, seeds, noise = map(self._there, (seats, seeds, noise))
        self._launch("plant_kernel", noise, self._forest)
        for number, share in enumerate([1, *self.shares]):
            for _ in range(share):
                self._iterate(seats, seeds)
            to_go = 1.0 - number / len(self.shares)
            self._launch("cut_kernel", seats, to_go, self._knobs, self._forest, self._found_there)
        self._launch("look_kernel", seats, self._knobs, self._forest, self._found_there)
        return self.found

    def _iterate(self, seats: Any, seeds: Any) -> None:
        """One way down in every tree, and what the network says of its end."""
        where = self._kit, self._roots, seats, seeds, self._knobs, self._forest, self._actors
        self._launch("descend_kernel", *where)
        self._answer()
        said = self._actors, self._scores, self._chances
        self._launch("settle_kernel", self._kit, seats, *said, self._knobs, self._forest)

    def _there(self, array: Any) -> Any:
        """An array on the GPU; what is there is not copied."""
        if hasattr(array, "__cuda_array_interface__"):
            return self._cuda.as_cuda_array(array)
        return self._cuda.to_device(array)

    def _launch(self, kernel: str, *arguments: Any) -> None:
        blocks = -(-self.tables // BLOCK)
        self._code.launch(getattr(self._kernels, kernel), blocks, BLOCK, *arguments)
