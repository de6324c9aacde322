"""Expert iteration: the search plays, and the network learns to see at once what it found.

Thousands of tables are searched together, each with a tree of its own (`bots/guided.py`): all trees
go down one way on the CPU's cores, the network is asked about all leaves at once, on the GPU if
there is one, and all trees take its answer. How often each action was tried becomes what the policy
learns, and how the game ended (with some of what the search expected) what the value learns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bottega.bots import guided
from bottega.engine.bits import WORD
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.runs import Array
from bottega.envs.batch import Batch
from bottega.envs.shares import Shares
from bottega.train.network import Network, cross, log_chances, log_policy
from bottega.train.ppo import autocast, mixed, results_of
from bottega.train.settings import Settings

HEAT = 0.7  # how much chance decides among the actions that the search tried


class Ring:
    """The latest decisions, and what came of them."""

    def __init__(self, size: int, inputs: int, actions: int, outcomes: int, device: str) -> None:
        new = {"device": device}
        self.inputs = torch.zeros((size, inputs), dtype=torch.float16, **new)
        self.policy = torch.zeros((size, actions), dtype=torch.float16, **new)
        self.value = torch.zeros((size, outcomes), **new)  # what the search found, then the result
        self.possible = torch.zeros((size, 1), dtype=torch.int64, **new)
        self.known = torch.zeros(size, dtype=torch.bool, **new)  # whether its game has ended
        self.noted = 0  # decisions so far

    def take(self, number: int) -> range:
        """The numbers of so many new decisions; the oldest ones are forgotten for them."""
        self.noted += number
        numbers = range(self.noted - number, self.noted)
        self.known[self.rows(numbers)] = False
        return numbers

    def rows(self, numbers: Sequence[int]) -> Tensor:
        """Where decisions stand."""
        where = torch.tensor(numbers, dtype=torch.int64, device=self.known.device)
        return where % len(self.known)

    def holds(self, number: int) -> bool:
        """Whether a decision is still remembered."""
        return number >= self.noted - len(self.known)


class Table:
    """Tables of one kind, with a tree for each."""

    def __init__(self, batch: Batch, kit: Kit, settings: Settings) -> None:
        game, tables = batch.game, len(batch)
        self.game = game
        self.settings = settings
        self.players = batch.players
        self.batch = batch
        self.kits = kit.record
        self.forest = guided.new_memory(game, settings.expert.iterations + 1, (tables,))
        self.knobs = np.zeros(guided.KNOBS)
        self.knobs[guided.EXPLORE] = settings.expert.explore
        self.knobs[guided.UNTRIED] = settings.expert.untried
        self.knobs[[guided.HEAT, guided.ROOT_HEAT]] = settings.expert.heat
        self.actors = np.zeros(tables, np.int64)
        self.visits = np.zeros((tables, game.actions), np.int64)
        self.values = np.zeros((tables, game.actions))
        self.random = np.random.default_rng(batch.seed)
        self.ended = np.zeros(tables, np.bool_)  # whether a game has ended there
        # The decisions of the game at each table: their numbers in the ring, and whose they were.
        self.open: list[list[tuple[int, int]]] = [[] for _ in range(tables)]
        self._shares = Shares(tables, None, 32)
        self._trees = [
            guided.Memory(*(array[rows] for array in self.forest)) for rows in self._shares.rows
        ]

    def search(self, evaluate: Any) -> tuple[Array, Array, Array]:
        """Search at all tables that have a choice: the seats that have one (-1: none), and, as the
        seats see them, the chances that the network gave at first and that the search found."""
        tables, masks = self.batch.state, self.batch.legal(packed=True)
        seats = np.where(np.bitwise_count(masks).sum(1) > 1, self.batch.waiting, -1)
        seeds = self.random.integers(0, 1 << 63, len(seats), dtype=np.uint64)
        first = np.zeros((len(seats), 2))
        for iteration in range(self.settings.expert.iterations):
            self._run(
                guided.descend_range,
                lambda rows, trees: (
                    self.kits,
                    tables[rows],
                    seats[rows],
                    seeds[rows],
                    self.knobs,
                    trees,
                    self.actors[rows],
                ),
            )
            scores, chances = evaluate(self.forest.seen, self.forest.masks[:, 0])
            if iteration == 0:
                first = chances.copy()
            self._run(
                guided.settle_range,
                lambda rows, trees, scores=scores, chances=chances: (
                    self.kits,
                    seats[rows],
                    self.actors[rows],
                    scores[rows],
                    chances[rows],
                    self.knobs,
                    trees,
                ),
            )
        self.visits[:] = 0
        self.values[:] = 0.0
        self._run(
            guided.look_range,
            lambda rows, trees: (
                self.kits,
                tables[rows],
                seats[rows],
                trees,
                self.visits[rows],
                self.values[rows],
            ),
        )
        found = self.values.sum(1) / np.maximum(1, self.visits.sum(1))
        return seats, first, found

    def choose(self, seats: Array) -> Array:
        """What is played: one of the actions tried, the oftener the likelier; or the only one."""
        tried = np.where(seats[:, None] >= 0, self.visits, self.batch.legal())
        with np.errstate(divide="ignore"):
            likely = np.log(tried) / HEAT
        return np.asarray((likely + self.random.gumbel(size=likely.shape)).argmax(1))

    def _run(self, function: Any, arguments: Any) -> None:
        parts = zip(self._shares.rows, self._trees, strict=True)
        self._shares.run(self.game.code(function), [arguments(*part) for part in parts])


class Expert:
    """Tables at which the search plays, and the network that learns from it."""

    def __init__(
        self, game: Game, kit: Kit, settings: Settings, network: Network, device: str, seed: int
    ) -> None:
        self.game = game
        self.settings = settings.expert
        self.network = network
        self.device = device
        self.outcomes = network.value.out_features
        batches = mixed(game, kit, settings, settings.expert.tables, "cpu", seed)
        self.tables = [Table(batch, kit, settings) for batch in batches]
        inputs = game.observation + game.actions
        self.ring = Ring(self.settings.window, inputs, game.actions, self.outcomes, device)
        self.optimiser = torch.optim.Adam(network.parameters(), lr=self.settings.rate, eps=1e-5)
        self.bits = torch.arange(WORD, device=device)
        self.each = torch.arange(self.outcomes, device=device)
        self.owed = 0.0  # decisions that are to be learned from

    def __len__(self) -> int:
        """How many tables there are."""
        return sum(len(table.batch) for table in self.tables)

    def finished(self) -> int:
        """At how many tables a game has ended."""
        return sum(int(table.ended.sum()) for table in self.tables)

    def round(self) -> int:
        """One decision at every table; how many were searched for."""
        searched = 0
        for table in self.tables:
            seats, first, found = table.search(self._evaluate)
            actions = table.choose(seats)
            searched += self._note(table, seats, first, found)
            table.batch.step(actions)
            self._close(table)
        return searched

    def learn(self, left: float) -> dict[str, float]:
        """As many steps as the new decisions are worth; what was measured."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.rate * left
        rows = self.ring.known.nonzero().squeeze(1)
        size = self.settings.minibatch
        # Games that end first are short ones: as long as there are no others, nothing is learned.
        if len(rows) < 4 * size or 2 * self.finished() < len(self):
            self.owed = 0.0
            return {}
        measured = []
        while self.owed >= size:
            self.owed -= size
            some = rows[torch.randint(len(rows), (size,), device=self.device)]
            with autocast(self.device):
                answer = self.network(self.ring.inputs[some].to(self._kind))
            legal = self.ring.inputs[some, self.game.observation :] > 0
            policy = cross(self.ring.policy[some].float(), log_policy(answer.policy, legal))
            possible = self.each < self.ring.possible[some]
            value = cross(self.ring.value[some], log_chances(answer.value, possible))
            self.optimiser.zero_grad(set_to_none=True)
            (policy + value).backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
            self.optimiser.step()
            measured.append(torch.stack([policy.detach(), value.detach()]))
        if not measured:
            return {}
        policy, value = torch.stack(measured).mean(0).tolist()
        return {"policy loss": policy, "value loss": value}

    @property
    def _kind(self) -> torch.dtype:
        return torch.float16 if self.device == "cuda" else torch.float32

    def _inputs(self, seen: Array, masks: Array) -> Tensor:
        known = torch.from_numpy(seen).to(self.device, non_blocking=True)
        words = torch.from_numpy(masks.view(np.int64)).to(self.device)
        legal = (words[:, :, None] >> self.bits) & 1
        flags = legal.flatten(1)[:, : self.game.actions]
        return torch.cat([known.to(self._kind), flags.to(self._kind)], 1)

    @torch.no_grad()
    def _evaluate(self, seen: Array, masks: Array) -> tuple[Array, Array]:
        """What the network says of all leaves, as scores."""
        with autocast(self.device):
            answer = self.network(self._inputs(seen, masks))
        both = torch.cat([answer.policy, answer.value], 1).float().cpu().numpy()
        actions = self.game.actions
        return np.ascontiguousarray(both[:, :actions]), np.ascontiguousarray(both[:, actions:])

    def _note(self, table: Table, seats: Array, first: Array, found: Array) -> int:
        """Remember what was searched for, before it is played."""
        asked = np.flatnonzero(seats >= 0)
        numbers = self.ring.take(len(asked))
        rows = self.ring.rows(numbers)
        seen = table.batch.encode()[asked]
        masks = table.batch.legal(packed=True)[asked]
        visits = table.visits[asked]
        ring, possible = self.ring, max(2, table.players)
        ring.inputs[rows] = self._inputs(seen, np.ascontiguousarray(masks)).half()
        shares = torch.from_numpy(visits / visits.sum(1, keepdims=True))
        ring.policy[rows] = shares.to(self.device).half()
        # The others' part of what is left follows the network.
        scores = torch.from_numpy(first[asked]).to(self.device)
        chances = log_chances(scores, self.each < possible).exp()
        own = torch.from_numpy(found[asked]).to(self.device).float()
        rest = (1 - own) / (1 - chances[:, 0]).clamp(min=1e-6)
        chances = chances * rest[:, None]
        chances[:, 0] = own
        ring.value[rows] = chances
        ring.possible[rows] = possible
        for at, number in zip(asked.tolist(), numbers, strict=True):
            table.open[at].append((number, int(seats[at])))
        return len(asked)

    def _close(self, table: Table) -> None:
        """Games that ended tell what came of their decisions."""
        ended = np.flatnonzero(table.batch.done)
        table.ended[ended] = True
        if not len(ended):
            return
        results = results_of(torch.from_numpy(table.batch.standings)).numpy()
        numbers, outcomes = [], []
        for at in ended.tolist():
            for number, seat in table.open[at]:
                if self.ring.holds(number):
                    numbers.append(number)
                    outcomes.append(np.roll(results[at], -seat))
            table.open[at] = []
        if not numbers:
            return
        where = self.ring.rows(numbers)
        come = torch.zeros((len(numbers), self.outcomes), device=self.device)
        come[:, : max(2, table.players)] = torch.from_numpy(np.stack(outcomes)).to(self.device)
        ring = self.ring
        ring.value[where] = torch.lerp(come, ring.value[where], self.settings.found)
        ring.known[where] = True
        self.owed += self.settings.reuse * len(numbers)
