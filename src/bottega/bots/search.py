"""`search`: information-set Monte Carlo tree search on all cores."""

from __future__ import annotations

import math
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bottega.bots import guided, net, tree
from bottega.bots.casual import CasualBot
from bottega.bots.policy import by_policy
from bottega.bots.start import choices, decision_seed, tree_seed
from bottega.bots.steering import USUAL, Steering, Step, steering
from bottega.engine.errors import BadOption
from bottega.engine.game import Game, check_number
from bottega.engine.loops import CHOOSER
from bottega.engine.match import Action, Match
from bottega.engine.progress import say_once
from bottega.engine.record import blank
from bottega.engine.runs import MOST_THREADS

CHUNK = 20  # iterations between two looks at the clock
BLITZ = 0.25  # seconds of a decision that is wanted at once
SLOW, FAST = 60_000, 80_000  # iterations a second for which there is memory, without and with a net
EDGES_PER_NODE = 24  # on average; memory for edges is given in this proportion
MOST_ITERATIONS = 2_000_000
GLANCE = 300  # iterations of a level that does not search, when it is asked for its thoughts

clock = time.monotonic  # by which seconds count; whoever compares on a busy machine sets another


# What was found at a root: for each action all visits, and the values and visits of its best chain.
Found = tuple[Any, Any, Any]


class Tree(Protocol):
    """The memory of one search, allocated once and bounded."""

    done: int  # iterations

    def clear(self) -> None:
        """Begin another search."""

    def rounds(self, iterations: int) -> list[int]:
        """How so many iterations are shared out over rounds."""

    def grow(self, match: Match, root: Any, seat: int, seed: int, more: int, stop: Any) -> None:
        """So many more iterations, or fewer if `stop` is set."""

    def end_round(self, match: Match, root: Any, seat: int, to_go: float, found: Found) -> None:
        """With a share of the rounds still to go, leave out what looks bad by what all trees have
        found."""

    @property
    def best(self) -> list[int]:
        """The actions that were not left out, the best first; none where nothing is left out."""

    def read(self, match: Match, root: Any, seat: int, found: Found) -> None:
        """Add up what the search found at its root."""

    def chain(self, match: Match, root: Any, seat: int, action: int) -> tuple[int, list[int]]:
        """The chain most often followed that begins with an action, and how often it was."""


class PlainTree:
    """A tree judged by the game's own `judge`."""

    def __init__(self, game: Game, nodes: int, knobs: tuple[float, ...]) -> None:
        most = game.seats[1]
        self.game = game
        self.memory = tree.Memory(
            nodes=blank(tree.NODE, nodes),
            edges=blank(tree.EDGE, nodes * EDGES_PER_NODE),
            slots=np.full(1 << (2 * nodes - 1).bit_length(), tree.NONE, np.int32),
            used=np.zeros(2, np.int64),
            way=np.zeros((tree.DEPTH, 3), np.int64),
            tables=blank(game.table, tree.CHAIN + 2),
            masks=np.zeros((tree.CHAIN + 1, game.mask_words), np.uint64),
            choosers=blank(CHOOSER),
            seen=np.zeros(game.observation, np.float32),
            chances=np.zeros(most),
            best=np.zeros(most),
            mean=np.zeros(most),
            standing=np.zeros((most, 2), np.int64),
            chain=np.zeros(tree.CHAIN, np.int64),
            lead=blank(tree.EDGE),
            tops=np.zeros(game.actions, np.int64),
            found=np.zeros((most, 3)),
            knobs=np.array(knobs),
        )
        self.done = 0

    def clear(self) -> None:
        self.memory.slots[:] = tree.NONE
        self.memory.used[:] = 0
        self.memory.found[:] = 0.0
        self.done = 0

    def rounds(self, iterations: int) -> list[int]:
        return [iterations]

    def end_round(self, match: Match, root: Any, seat: int, to_go: float, found: Found) -> None:
        pass

    @property
    def best(self) -> list[int]:
        return []

    def grow(self, match: Match, root: Any, seat: int, seed: int, more: int, stop: Any) -> None:
        search = self.game.code(tree.search)
        kit = match.kit.record
        self.done += search(kit, root, seat, np.uint64(seed), more, stop, self.memory)

    def read(self, match: Match, root: Any, seat: int, found: Found) -> None:
        look = self.game.code(tree.look_at_root)
        look(match.kit.record, root, seat, self.memory, *found)

    def chain(self, match: Match, root: Any, seat: int, action: int) -> tuple[int, list[int]]:
        chain = np.zeros(tree.CHAIN, np.int64)
        look = self.game.code(tree.chain_from)
        visits, length = look(match.kit.record, root, seat, action, self.memory, chain)
        return int(visits), chain[:length].tolist()


class GuidedTree:
    """A tree guided by a network."""

    def __init__(self, game: Game, nodes: int, knobs: tuple[float, ...], weights: net.Net) -> None:
        self.game = game
        self.memory = guided.new_memory(game, nodes)
        self.knobs = np.array(knobs)
        self.net = weights
        self.sheet = net.new_sheet(weights)
        self.done = 0

    def clear(self) -> None:
        self.memory.slots[:] = tree.NONE
        self.memory.used[:] = 0
        self.memory.spot[guided.LEFT] = 0
        self.done = 0

    def rounds(self, iterations: int) -> list[int]:
        first, *others = guided.shared_out(iterations, int(self.knobs[guided.WIDTH]))
        return [1 + first, *others]

    def end_round(self, match: Match, root: Any, seat: int, to_go: float, found: Found) -> None:
        self.memory.visits[:], self.memory.values[:], _ = found
        leave_out = self.game.code(guided.leave_out)
        leave_out(match.kit.record, root, seat, to_go, self.knobs, self.memory)

    @property
    def best(self) -> list[int]:
        edges = self.memory.running[: self.memory.spot[guided.LEFT]]
        return [int(action) for action in self.memory.edges["action"][edges]]

    def grow(self, match: Match, root: Any, seat: int, seed: int, more: int, stop: Any) -> None:
        self.done += self.game.code(guided.search)(
            match.kit.record,
            root,
            seat,
            np.uint64(seed),
            more,
            stop,
            self.knobs,
            self.net,
            self.sheet,
            self.memory,
        )

    def read(self, match: Match, root: Any, seat: int, found: Found) -> None:
        visits, values, leads = found
        before = visits.copy()
        look = self.game.code(guided.look_at_root)
        look(match.kit.record, root, seat, self.memory, visits, values)
        leads += visits - before

    def chain(self, match: Match, root: Any, seat: int, action: int) -> tuple[int, list[int]]:
        chain = np.zeros(guided.CHAIN, np.int64)
        look = self.game.code(guided.chain_from)
        kit = match.kit.record
        visits, length = look(kit, root, seat, action, self.knobs, self.memory, chain)
        return int(visits), chain[:length].tolist()


@dataclass(frozen=True)
class Thought:
    """What a search found about one action."""

    action: Action
    visits: int
    chance: float  # of the seat to win, as estimated for the best chain that begins with it


@dataclass(frozen=True)
class Plan:
    """How a seat goes on with a chain, as long as it sees what it expected to see."""

    seat: int
    seen: bytes
    chain: list[int]

    def fits(self, match: Match, seat: int) -> bool:
        """Whether this is the situation the plan was made for."""
        legal = match.legal_numbers(seat)
        return seat == self.seat and self.chain[0] in legal and self.seen == seen(match, seat)

    def rest(self, match: Match) -> Plan | None:
        """What is left of it once its first action was played."""
        if len(self.chain) == 1:
            return None
        table = match.imagine(self.seat, 0)
        table.play(self.seat, self.chain[0])
        return Plan(self.seat, seen(table, self.seat), self.chain[1:])


def seen(match: Match, seat: int) -> bytes:
    return match.game.name.encode() + match.encode(seat).tobytes()


class SearchBot:
    """Searches on so many threads: as many iterations as its level has in a game, or so many,
    and not for more than so many seconds. Levels that do not search play by the network alone.

    It is guided by the network that comes with the game, or by that of a file (`net`). Without one
    for the kit on the table, or with `net=False`, it searches by the game's own `judge`, and its
    lower levels take what looks best of what they do not overlook.
    """

    name = "search"

    def __init__(
        self,
        seed: int = 0,
        *,
        level: int | None = None,
        iterations: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
        knobs: tuple[float, ...] | None = None,
        net: str | Path | bool | None = None,
        blitz: bool = False,
    ) -> None:
        if level is not None and (type(level) is not int or not 1 <= level <= len(USUAL.levels)):
            raise BadOption(f"search has the levels 1 to {len(USUAL.levels)}, not {level}")
        if iterations is not None and check_number("iterations", iterations, MOST_ITERATIONS) < 1:
            raise BadOption("a search needs 1 iteration or more")
        if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
            raise BadOption(f"a search needs some seconds, not {seconds!r}")
        if net is True:
            raise BadOption("net is a file, or False to search without a network")
        self.seed = seed
        self.level = level
        self.iterations = iterations
        self.seconds = min(seconds or BLITZ, BLITZ) if blitz else seconds
        self.threads = check_number("threads", threads, MOST_THREADS) or os.cpu_count() or 1
        self.knobs = knobs
        self.net = net
        self._stop = np.zeros(1, np.bool_)
        self._trees: list[Tree] = []
        self._for: tuple[Any, ...] = ()  # what the trees were made for
        self._root: Any = None  # where the latest search began
        self._plan: Plan | None = None

    def stop(self) -> None:
        """End the search that is going on, at once; it answers with what it has."""
        self._stop[0] = True

    def choose(self, match: Match, seat: int) -> Action:
        """What was planned for this very situation, else the best that thinking finds."""
        step = self.step(match)
        learned = self.learned(match)
        if learned and step.heat is not None:
            return by_policy(match, seat, learned, step.heat, self.seed)
        if not step.iterations:
            return CasualBot(self.seed, step.overlooks).choose(match, seat)
        plan = self._plan
        if plan is None or not plan.fits(match, seat):
            plan = Plan(seat, b"", self._best_chain(match, seat))
        self._plan = plan.rest(match)
        return match.action(seat, plan.chain[0])

    def _best_chain(self, match: Match, seat: int) -> list[int]:
        """What thinking finds best and does not go round in a circle, if anything does not."""
        numbers = [thought.action.id for thought in self.think(match, seat)]
        chains = (self.chain(match, seat, number) for number in numbers)
        sound = (chain for chain in chains if not wasteful(match, seat, chain))
        return next(sound, None) or self.chain(match, seat, numbers[0])

    def think(self, match: Match, seat: int) -> list[Thought]:
        """Every action, the most promising first. A forced one takes no thinking."""
        numbers = choices(match, seat)
        self._root = None
        if len(numbers) == 1:
            return [Thought(match.action(seat, numbers[0]), 0, match.chances(seat)[seat])]
        seed = decision_seed(self.seed, match, seat)
        root = match.concealed(seat, seed)
        visits, values, leads = self._search(match, root, seat, seed)
        self._root = root
        place = {number: at for at, number in enumerate(self._trees[0].best)}
        last = len(place)
        order = sorted(
            numbers, key=lambda n: (place.get(n, last), -leads[n], -visits[n], -values[n], n)
        )
        return [
            Thought(match.action(seat, n), int(visits[n]), float(values[n] / max(1, leads[n])))
            for n in order
        ]

    def chain(self, match: Match, seat: int, action: int) -> list[int]:
        """The best chain that `think` has just found to begin with an action; the action alone if
        it was forced."""
        if self._root is None:
            return [action]
        found = [grown.chain(match, self._root, seat, action) for grown in self._trees]
        return max(found, key=lambda one: one[0])[1] or [action]

    def _search(self, match: Match, root: Any, seat: int, seed: int) -> Found:
        """Independent trees, one a thread, each with its own worlds. After each round what they
        found together says what is left out."""
        self._stop[0] = False
        trees = self._memory(match)
        began = clock()
        rounds = trees[0].rounds(-(-(self.budget(match) or MOST_ITERATIONS) // len(trees)))
        share = 0
        found = self._read(match, root, seat)
        with ThreadPoolExecutor(len(trees)) if len(trees) > 1 else nullcontext() as pool:
            for number, iterations in enumerate(rounds, 1):
                share += iterations
                until = began + number / len(rounds) * (self.seconds or math.inf)
                grow = partial(self._grow, match, root, seat, seed, share, until)
                list(pool.map(grow, range(len(trees))) if pool else [grow(0)])
                found = self._read(match, root, seat)
                for one in trees:
                    one.end_round(match, root, seat, 1 - number / len(rounds), found)
        return found

    def _grow(
        self, match: Match, root: Any, seat: int, seed: int, share: int, until: float, number: int
    ) -> None:
        """Let a tree grow up to so many iterations, or until it is time."""
        own = tree_seed(seed, number)
        grown = self._trees[number]
        while grown.done < share and not self._stop[0] and clock() < until:
            grown.grow(match, root, seat, own, min(CHUNK, share - grown.done), self._stop)

    def _read(self, match: Match, root: Any, seat: int) -> Found:
        """What all trees found together."""
        actions = match.game.actions
        found = np.zeros(actions, np.int64), np.zeros(actions), np.zeros(actions, np.int64)
        for grown in self._trees:
            grown.read(match, root, seat, found)
        return found

    def learned(self, match: Match) -> net.Learned | None:
        """The network that guides it at a table, if there is one for the kit."""
        if self.net is False:
            return None
        what = match.game, match.kit, match.players
        found = net.find(*what, self.net)
        if found is None and (self.net or net.shipped(match.game)):
            say_once(f"{net.why_not(*what)}; it is searched without")
        return found

    def steering(self, match: Match) -> Steering:
        """How it searches at a table."""
        return steering(match.game.name, match.players, self.learned(match) is not None)

    def step(self, match: Match) -> Step:
        """What its level is at a table."""
        if self.level is None:
            return Step(iterations=self.iterations or MOST_ITERATIONS)
        return self.steering(match).levels[self.level - 1]

    def budget(self, match: Match) -> int | None:
        """How many iterations a decision gets; a level that does not search has some for those who
        ask for its thoughts."""
        if self.level is None:
            return self.iterations
        return self.step(match).iterations or GLANCE

    def _memory(self, match: Match) -> list[Tree]:
        learned = self.learned(match)
        expected = FAST if learned else SLOW
        budget = self.budget(match) or int(expected * (self.seconds or 1.0))
        nodes = min(max(budget // self.threads, 1000), 400_000) + 1
        made = (match.game, match.players, self.threads, nodes, id(learned))
        if self._for != made:
            self._trees = [self._tree(match, nodes, learned) for _ in range(self.threads)]
            self._for = made
        for memory in self._trees:
            memory.clear()
        return self._trees

    def _tree(self, match: Match, nodes: int, learned: net.Learned | None) -> Tree:
        knobs = self.knobs or self.steering(match).knobs
        if learned is None:
            return PlainTree(match.game, nodes, knobs)
        return GuidedTree(match.game, nodes, knobs, learned.net)


class ClassicBot(SearchBot):
    """The search without a network."""

    name = "classic"

    def __init__(self, seed: int = 0, **how: Any) -> None:
        super().__init__(seed, **how, net=False)


def wasteful(match: Match, seat: int, chain: list[int]) -> bool:
    """Whether a chain undoes at a loss what it did before, as the game's `sense` may tell."""
    undoes = getattr(match.game.sense, "wasteful", None)
    if undoes is None:
        return False
    world = match.imagine(seat, 0)
    for number in chain:
        if number not in world.legal_numbers(seat):
            return False
        if undoes(match.kit.record[0], world.records[-1][0], seat, number):
            return True
        world.play(seat, number)
    return False
