"""`search`: information-set Monte Carlo tree search on all cores."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from bottega.bots import tree
from bottega.bots.seeds import decision_seed
from bottega.engine.game import Game
from bottega.engine.match import Action, Match
from bottega.engine.record import blank

CHUNK = 200  # iterations between two looks at the clock
EDGES_PER_NODE = 24  # on average; memory for edges is given in this proportion
MOST_ITERATIONS = 2_000_000


class Tree:
    """The memory of one search, allocated once and bounded."""

    def __init__(self, game: Game, nodes: int, knobs: tuple[float, ...]) -> None:
        most = game.seats[1]
        self.game = game
        self.memory = tree.Memory(
            nodes=blank(tree.NODE, nodes),
            edges=blank(tree.EDGE, nodes * EDGES_PER_NODE),
            index=np.full(1 << (2 * nodes - 1).bit_length(), tree.NONE, np.int32),
            used=np.zeros(2, np.int64),
            way=np.zeros((tree.DEPTH, 3), np.int64),
            tables=blank(game.table, 2),
            mask=game.new_mask(),
            seen=np.zeros(game.observation, np.float32),
            chances=np.zeros(most),
            best=np.zeros(most),
            standing=np.zeros((most, 2), np.int64),
            knobs=np.array(knobs),
        )
        self.done = 0  # iterations

    def clear(self) -> None:
        self.memory.index[:] = tree.NONE
        self.memory.used[:] = 0
        self.done = 0

    def grow(self, match: Match, root: Any, seat: int, seed: int, more: int, stop: Any) -> None:
        """So many more iterations, or fewer if `stop` is set."""
        search = self.game.code(tree.search)
        kit = match.kit.record
        self.done += search(kit, root, seat, np.uint64(seed), self.done, more, stop, self.memory)

    def read(self, match: Match, root: Any, seat: int, visits: Any, values: Any) -> None:
        """Add up what the search found at its root."""
        look = self.game.code(tree.look_at_root)
        look(match.kit.record, root, seat, self.memory, visits, values)


@dataclass(frozen=True)
class Thought:
    """What a search found about one action."""

    action: Action
    visits: int
    chance: float  # of the seat to win, as estimated


class SearchBot:
    """Searches for so many iterations, or so many seconds, on so many threads."""

    name = "search"

    def __init__(
        self,
        seed: int = 0,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
        knobs: tuple[float, ...] = tree.KNOBS,
    ) -> None:
        self.seed = seed
        self.iterations = iterations
        self.seconds = seconds
        self.threads = threads or os.cpu_count() or 1
        self.knobs = knobs
        self._stop = np.zeros(1, np.bool_)
        self._trees: list[Tree] = []

    def stop(self) -> None:
        """End the search that is going on, at once; it answers with what it has."""
        self._stop[0] = True

    def choose(self, match: Match, seat: int) -> Action:
        return self.think(match, seat)[0].action

    def think(self, match: Match, seat: int) -> list[Thought]:
        """Every action, the most promising first. A forced one takes no thinking."""
        numbers = match.legal_numbers(seat)
        if len(numbers) == 1:
            return [Thought(match.action(seat, numbers[0]), 0, match.chances(seat)[seat])]
        seed = decision_seed(self.seed, match, seat)
        root = match.concealed(seat, seed)
        visits = np.zeros(match.game.actions, np.int64)
        values = np.zeros(match.game.actions)
        for grown in self._search(match, root, seat, seed):
            grown.read(match, root, seat, visits, values)
        order = sorted(numbers, key=lambda n: (-visits[n], -values[n], n))
        return [
            Thought(match.action(seat, n), int(visits[n]), float(values[n] / max(1, visits[n])))
            for n in order
        ]

    def _search(self, match: Match, root: Any, seat: int, seed: int) -> list[Tree]:
        """Independent trees, one a thread, each with its own worlds."""
        self._stop[0] = False
        trees = self._memory(match.game)
        until = None if self.seconds is None else time.monotonic() + self.seconds
        share = -(-(self.iterations or MOST_ITERATIONS) // len(trees))

        def grow(number: int) -> None:
            own = decision_seed(seed, match, number)
            while trees[number].done < share and not self._stop[0]:
                if until is not None and time.monotonic() >= until:
                    return
                more = min(CHUNK, share - trees[number].done)
                trees[number].grow(match, root, seat, own, more, self._stop)

        if len(trees) == 1:
            grow(0)
        else:
            with ThreadPoolExecutor(len(trees)) as pool:
                list(pool.map(grow, range(len(trees))))
        return trees

    def _memory(self, game: Game) -> list[Tree]:
        budget = self.iterations or int(60_000 * (self.seconds or 1.0))
        nodes = min(max(budget // self.threads, 1000), 400_000) + 1
        if not self._trees or self._trees[0].game is not game:
            self._trees = [Tree(game, nodes, self.knobs) for _ in range(self.threads)]
        for memory in self._trees:
            memory.clear()
        return self._trees
