"""Expert iteration: the search plays, and the network learns to see at once what it found.

Many tables are searched together (`searches.py`). What the policy should have been, by what the
search found, is what it learns. The value learns what came of a decision: how the game ended, and
what the search expected on the way. Now and then a decision is left to chance, so that the value
knows, too, what becomes of those that are seldom taken; what came before learns nothing from that.

Searched and kept is by the average of the latest networks, which is steadier than the last one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from bottega.bots import guided, net
from bottega.engine.bits import WORD
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.runs import Array
from bottega.envs.batch import Batch
from bottega.train.network import Network, cross, log_chances, log_policy
from bottega.train.ppo import autocast, mixed, results_of
from bottega.train.searches import Forest, Searches
from bottega.train.settings import Expert as ExpertSettings
from bottega.train.settings import Settings

STEADY = 0.999  # what stays of the average network with each step


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


class Decision(NamedTuple):
    """One of a game that has not ended yet."""

    number: int  # in the ring
    seat: int
    expected: Array  # [outcome by seat], by the search
    left_to_chance: bool  # something else was played than what it found


class Table:
    """Tables of one kind."""

    def __init__(self, batch: Batch, searches: Searches, wander: float) -> None:
        tables = len(batch)
        self.game = batch.game
        self.players = batch.players
        self.batch = batch
        self.searches = searches
        self.wander = wander
        self.random = np.random.default_rng(batch.seed)
        self.ended = np.zeros(tables, np.bool_)  # whether a game has ended there
        self.open: list[list[Decision]] = [[] for _ in range(tables)]

    def search(self) -> tuple[Array, guided.Found]:
        """Search at all tables that have a choice: the seats that have one (-1: none), and what
        was found."""
        masks = self.batch.legal(packed=True)
        seats = np.where(np.bitwise_count(masks).sum(1) > 1, self.batch.waiting, -1)
        seeds = self.random.integers(0, 1 << 63, len(seats), dtype=np.uint64)
        noise = self.random.gumbel(size=(len(seats), self.game.actions)).astype(np.float32)
        return seats, self.searches.search(self.batch.state, seats, seeds, noise)

    def choose(self, seats: Array, found: guided.Found) -> Array:
        """What is played: what the search chose, now and then what chance did; or the only action
        there is."""
        wanders = self.random.random(len(seats)) < self.wander
        chosen = np.where(wanders, found.drawn, found.action)
        return np.where(seats >= 0, chosen, self.batch.legal().argmax(1))


class Expert:
    """Tables at which the search plays, and a learner; the network is the learner's average."""

    def __init__(
        self, game: Game, kit: Kit, settings: Settings, network: Network, device: str, seed: int
    ) -> None:
        self.game = game
        self.settings = settings.expert
        self.network = network
        self.learner = copy.deepcopy(network)
        self.device = device
        self.outcomes = network.value.out_features
        batches = mixed(game, kit, settings, settings.expert.tables, "cpu", seed)
        self.tables = [
            Table(batch, self._searches(game, kit, len(batch)), self.settings.wander)
            for batch in batches
        ]
        inputs = game.observation + game.actions
        self.ring = Ring(self.settings.window, inputs, game.actions, self.outcomes, device)
        self.optimiser = torch.optim.Adam(
            self.learner.parameters(), lr=self.settings.rate, eps=1e-5
        )
        self.bits = torch.arange(WORD, device=device)
        self.each = torch.arange(self.outcomes, device=device)
        self.owed = 0.0  # decisions that are to be learned from
        self._take_weights()

    def _searches(self, game: Game, kit: Kit, tables: int) -> Searches:
        """On a GPU all tables ask at once, on the CPU each asks the compiled network."""
        how = game, kit, tables, self.settings.iterations, knobs_of(self.settings)
        return Forest(*how, self._evaluate) if self.device == "cuda" else Searches(*how)

    def _take_weights(self) -> None:
        """Search by the network as it is now."""
        if self.device == "cpu":
            weights = net.compact(self.network.weights())
            for table in self.tables:
                table.searches.take(weights)

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
            seats, found = table.search()
            actions = table.choose(seats, found)
            searched += self._note(table, seats, found, actions)
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
                answer = self.learner(self.ring.inputs[some].to(self._kind))
            legal = self.ring.inputs[some, self.game.observation :] > 0
            policy = cross(self.ring.policy[some].float(), log_policy(answer.policy, legal))
            possible = self.each < self.ring.possible[some]
            value = cross(self.ring.value[some], log_chances(answer.value, possible))
            self.optimiser.zero_grad(set_to_none=True)
            (policy + value).backward()
            nn.utils.clip_grad_norm_(self.learner.parameters(), 0.5)
            self.optimiser.step()
            self._add_to_average()
            measured.append(torch.stack([policy.detach(), value.detach()]))
        if not measured:
            return {}
        self._take_weights()
        policy, value = torch.stack(measured).mean(0).tolist()
        return {"policy loss": policy, "value loss": value}

    @torch.no_grad()
    def _add_to_average(self) -> None:
        average, latest = self.network.parameters(), self.learner.parameters()
        torch._foreach_lerp_(list(average), list(latest), 1 - STEADY)

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

    def _note(self, table: Table, seats: Array, found: guided.Found, actions: Array) -> int:
        """Remember what was searched for, before it is played."""
        asked = np.flatnonzero(seats >= 0)
        numbers = self.ring.take(len(asked))
        rows = self.ring.rows(numbers)
        seen = table.batch.encode()[asked]
        masks = table.batch.legal(packed=True)[asked]
        ring = self.ring
        ring.inputs[rows] = self._inputs(seen, np.ascontiguousarray(masks)).half()
        ring.policy[rows] = torch.from_numpy(found.policy[asked]).to(self.device).half()
        ring.possible[rows] = max(2, table.players)
        expected = expectations(found, asked, seats[asked], table.players)
        strayed = (actions != found.action)[asked]
        for row, at in enumerate(asked.tolist()):
            table.open[at].append(
                Decision(numbers[row], int(seats[at]), expected[row], bool(strayed[row]))
            )
        return len(asked)

    def _close(self, table: Table) -> None:
        """Games that ended tell what came of their decisions."""
        ended = np.flatnonzero(table.batch.done)
        table.ended[ended] = True
        if not len(ended):
            return
        results = results_of(torch.from_numpy(table.batch.standings)).numpy()
        numbers, values = [], []
        for at in ended.tolist():
            for decision, value in what_came_of(table.open[at], results[at], self.settings.found):
                if self.ring.holds(decision.number):
                    numbers.append(decision.number)
                    values.append(np.roll(value, -decision.seat))
            table.open[at] = []
        if not numbers:
            return
        rows = self.ring.rows(numbers)
        possible = max(2, table.players)
        come = torch.from_numpy(np.stack(values)).to(self.device)
        self.ring.value[rows, :possible] = come
        self.ring.value[rows, possible:] = 0.0
        self.ring.known[rows] = True
        self.owed += self.settings.reuse * len(numbers)


def what_came_of(
    decisions: list[Decision], result: Array, found: float
) -> Iterator[tuple[Decision, Array]]:
    """Of each decision of a game, the last one first, what it was worth to each seat: how the game
    ended, with a share of what the search expected at each decision on the way. Where something
    else was played than what it found, what came before cannot tell what followed."""
    ahead = result
    for decision in reversed(decisions):
        share = 1.0 if decision.left_to_chance else found
        ahead = ahead + share * (decision.expected - ahead)
        yield decision, ahead


def expectations(found: guided.Found, asked: Array, seats: Array, players: int) -> Array:
    """[decision, outcome by seat]: a seat's own chance by what its search found; what is left is
    the others', as the network shares it out."""
    own = found.worth[asked]
    if players == 1:
        return np.stack([own, 1 - own], 1)
    chances = found.first[asked, :players].copy()
    rows = np.arange(len(asked))
    rest = (1 - own) / np.maximum(1 - chances[rows, seats], 1e-6)
    chances *= rest[:, None]
    chances[rows, seats] = own
    return chances


def knobs_of(settings: ExpertSettings) -> Array:
    """What steers the search, as `bots/guided.py` takes it."""
    knobs = np.zeros(guided.KNOBS)
    knobs[guided.EXPLORE] = settings.explore
    knobs[guided.UNTRIED] = settings.untried
    knobs[[guided.HEAT, guided.ROOT_HEAT]] = settings.heat
    knobs[guided.AHEAD] = settings.ahead
    knobs[guided.STRETCH] = settings.stretch
    knobs[guided.WIDTH] = settings.width
    knobs[guided.LESSON] = settings.lesson
    knobs[guided.KEPT] = settings.kept
    return knobs
