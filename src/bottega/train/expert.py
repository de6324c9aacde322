"""Expert iteration: the search plays, and the network learns to see at once what it found.

Many tables are searched together (`searches.py`). What the policy should have been, by what the
search found, is what it learns. The value learns what came of a decision: how the game ended, or
what the search expected some decisions later, with a share of what it expected on the way. Now and
then a decision is left to chance, so that the value knows, too, what becomes of those that are
seldom taken; what came before learns nothing from that.

Searched and kept is by the average of the latest networks, which is steadier than the last one.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from bottega.bots import guided, net
from bottega.engine.bits import WORD
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.runs import Array
from bottega.envs.loops import KEEP
from bottega.train.network import Answer, Network, cross, log_chances, log_policy
from bottega.train.ppo import autocast, compiled, draw
from bottega.train.searches import Forest, Leaves, Searches
from bottega.train.settings import Expert as ExpertSettings
from bottega.train.settings import Settings
from bottega.train.tables import Tables, tensor

STEADY = 0.995  # what stays of the average network with each step
FORCED = 3  # small decisions without a choice that are passed over between two searches
SEEDS = 1 << 62
LEAST = 1e-6  # a chance is taken to be at least this


class Lessons:
    """The latest decisions that were searched for, and what is to be learned from them."""

    def __init__(self, size: int, inputs: int, actions: int, outcomes: int, device: str) -> None:
        new = {"device": device}
        self.inputs = torch.zeros((size, inputs), dtype=torch.float16, **new)
        self.policy = torch.zeros((size, actions), dtype=torch.float16, **new)
        self.value = torch.zeros((size, outcomes), **new)
        self.possible = torch.zeros((size, 1), dtype=torch.int64, **new)
        self.noted = 0  # decisions so far

    def __len__(self) -> int:
        return min(self.noted, len(self.inputs))

    def note(self, inputs: Tensor, policy: Tensor, value: Tensor, possible: Tensor) -> None:
        """Take decisions up; the oldest ones are forgotten for them."""
        number, size = len(inputs), len(self.inputs)
        rows = torch.arange(self.noted, self.noted + number, device=inputs.device)[-size:] % size
        self.inputs[rows] = inputs[-size:].half()
        self.policy[rows] = policy[-size:].half()
        self.value[rows] = value[-size:]
        self.possible[rows] = possible[-size:]
        self.noted += number


class Searched(NamedTuple):
    """Decisions at all tables, [step, table]."""

    inputs: Tensor  # what the seat knows, then what it may do
    seats: Tensor  # whose search it was; -1 where there was nothing to choose
    policy: Tensor  # as it should have been
    expected: Tensor  # [step + 1, table, seat], everybody's chances by the search
    strayed: Tensor  # something else was played than what it found
    results: Tensor  # [step, table, seat], where a game ended
    done: Tensor


class Expert:
    """Tables at which the search plays, and a learner; the network is the learner's average."""

    def __init__(
        self, game: Game, kit: Kit, settings: Settings, network: Network, device: str, seed: int
    ) -> None:
        self.game = game
        self.settings = settings.expert
        self._compile = settings.compile
        self.network = network
        self.learner = copy.deepcopy(network)
        self.device = device
        self.outcomes = network.value.out_features
        self.tables = Tables(game, kit, settings, self.settings.tables, self.outcomes, device, seed)
        number = len(self.tables)
        self.searches = self._searches(kit, number)
        self.found = guided.Found(*map(tensor, self.searches.found))
        self.lessons = Lessons(
            self.settings.window, self.tables.inputs, game.actions, self.outcomes, device
        )
        self.optimiser = torch.optim.Adam(
            self.learner.parameters(), lr=self.settings.rate, eps=1e-5, fused=device == "cuda"
        )
        self.owed = 0.0  # decisions that are to be learned from
        kind = torch.float16 if device == "cuda" else torch.float32
        self._inputs = torch.zeros((number, self.tables.inputs), dtype=kind, device=device)
        self._take_weights()
        self._scatter()

    def _searches(self, kit: Kit, tables: int) -> Searches:
        """On a GPU all tables ask at once, on the CPU each asks the compiled network."""
        how = self.game, kit, tables, self.settings.iterations, knobs_of(self.settings)
        if self.device == "cpu":
            return Searches(*how)
        forest = Forest(*how, self._answer)
        self._says: Any = compiled(self.network) if self._compile else self.network
        self._leaves = Leaves(*map(tensor, forest.leaves))
        self._bits = torch.arange(WORD, device=self.device)
        self._asked = torch.zeros(
            (tables, self.game.observation + self.game.actions),
            dtype=torch.float16,
            device=self.device,
        )
        return forest

    def _take_weights(self) -> None:
        """Search by the network as it is now."""
        if self.device == "cpu":
            self.searches.take(net.compact(self.network.weights()))

    @torch.no_grad()
    def _answer(self) -> None:
        """What the network says of all leaves."""
        leaves = self._leaves
        words = leaves.masks.view(torch.int64)[:, 0, :, None]
        flags = ((words >> self._bits) & 1).flatten(1)
        self._asked[:, : self.game.observation] = leaves.seen
        self._asked[:, self.game.observation :] = flags[:, : self.game.actions]
        with autocast(self.device):
            answer = self._says(self._asked)
        leaves.scores.copy_(answer.policy)
        leaves.chances.copy_(answer.value)

    # Playing

    def _scatter(self) -> None:
        """Let the policy play for a while: the tables are to be at different moments of their
        games."""
        results = torch.zeros((len(self.tables), self.outcomes), device=self.device)
        done = torch.zeros(len(self.tables), dtype=torch.bool, device=self.device)
        for _ in range(self.settings.scatter):
            answer = self._look()[1]
            self.tables.step(draw(log_policy(answer.policy, self._legal)), results, done)

    @torch.no_grad()
    def _look(self) -> tuple[Tensor, Answer]:
        """Who waits at all tables, and what the network says of what they know."""
        seats = self.tables.see(self._inputs)
        with autocast(self.device):
            return seats, self.network(self._inputs)

    @property
    def _legal(self) -> Tensor:
        return self._inputs[:, self.game.observation :] > 0

    @torch.no_grad()
    def collect(self) -> int:
        """Search and play at all tables for some steps, and note what is to be learned from that;
        how many decisions were searched for."""
        steps, number, outcomes = self.settings.steps, len(self.tables), self.outcomes
        new = {"device": self.device}
        searched = Searched(
            inputs=torch.zeros((steps, *self._inputs.shape), dtype=torch.float16, **new),
            seats=torch.zeros((steps, number), dtype=torch.int64, **new),
            policy=torch.zeros((steps, number, self.game.actions), dtype=torch.float16, **new),
            expected=torch.zeros((steps + 1, number, outcomes), **new),
            strayed=torch.zeros((steps, number), dtype=torch.bool, **new),
            results=torch.zeros((steps, number, outcomes), **new),
            done=torch.zeros((steps, number), dtype=torch.bool, **new),
        )
        for step in range(steps):
            waiting = self.tables.see(self._inputs)
            seats = torch.where(self._legal.sum(1) > 1, waiting, -1)
            self._search(seats)
            actions = self._choose(seats)
            searched.inputs[step] = self._inputs
            searched.seats[step] = seats
            searched.policy[step] = self.found.policy
            searched.expected[step] = self._expected(seats)
            searched.strayed[step] = (seats >= 0) & (actions != self.found.action)
            self.tables.step(actions, searched.results[step], searched.done[step])
            for _ in range(FORCED):
                self._play_forced(searched.results[step], searched.done[step])
        searched.expected[-1] = self._foreseen()
        return self._note(searched)

    def _search(self, seats: Tensor) -> None:
        """Look for what to do at all tables that have a choice (-1: none)."""
        shape = len(self.tables), self.game.actions
        seeds = torch.randint(SEEDS, shape[:1], device=self.device)
        gumbel = -torch.empty(shape, device=self.device).exponential_().log()
        states = [group.batch.state for group in self.tables.groups]
        self.searches.search(states, *map(self._lent, (seats, seeds, gumbel)))

    def _lent(self, numbers: Tensor) -> Any:
        return numbers.numpy() if self.device == "cpu" else numbers

    def _choose(self, seats: Tensor) -> Tensor:
        """What is played: what the search chose, now and then what chance did; or the only action
        there is."""
        wanders = torch.rand(len(seats), device=self.device) < self.settings.wander
        chosen = torch.where(wanders, self.found.drawn, self.found.action)
        return torch.where(seats >= 0, chosen, self._legal.long().argmax(1))

    def _play_forced(self, results: Tensor, done: Tensor) -> None:
        """Play where there is no choice; fill in where a game ended by it."""
        self.tables.see(self._inputs)
        forced = self._legal.sum(1) == 1
        actions = torch.where(forced, self._legal.long().argmax(1), KEEP)
        ends, over = torch.zeros_like(results), torch.zeros_like(done)
        self.tables.step(actions, ends, over)
        ended = forced & over & ~done
        results.copy_(torch.where(ended[:, None], ends, results))
        done |= ended

    def _expected(self, seats: Tensor) -> Tensor:
        """[table, seat], everybody's chances: a seat's own by what its search found; what is left
        is the others', as the network shares it out."""
        own = self.tables.each == seats[:, None]
        others = self.found.first.clamp(min=LEAST) * (self.tables.each < self.tables.possible)
        others = others.masked_fill(own, 0.0)
        worth = self.found.worth[:, None]
        return torch.where(own, worth, others * (1 - worth) / others.sum(1, keepdim=True))

    def _foreseen(self) -> Tensor:
        """[table, seat], everybody's chances as the network sees them."""
        seats, answer = self._look()
        fair = log_chances(answer.value, self.tables.each < self.tables.possible).exp()
        return self.tables.by_seat(fair, seats)

    def _note(self, searched: Searched) -> int:
        """Remember what was searched for; how much that was."""
        values = what_came_of(searched, self.settings.found)
        seats = searched.seats
        turned = self.tables.turned(values, seats.clamp(min=0))
        possible = self.tables.possible.expand(*seats.shape, 1)
        asked = seats >= 0
        self.lessons.note(
            searched.inputs[asked], searched.policy[asked], turned[asked], possible[asked]
        )
        number = int(asked.sum())
        self.owed += self.settings.reuse * number
        return number

    # Learning

    def learn(self, left: float) -> dict[str, float]:
        """As many steps as the new decisions are worth; what was measured."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.rate * left
        size, lessons = self.settings.minibatch, self.lessons
        measured = []
        while self.owed >= size:
            self.owed -= size
            some = torch.randint(len(lessons), (size,), device=self.device)
            picked = lessons.inputs[some].to(self._inputs.dtype)
            with autocast(self.device):
                answer = self.learner(picked)
            legal = picked[:, self.game.observation :] > 0
            policy = cross(lessons.policy[some].float(), log_policy(answer.policy, legal))
            possible = self.tables.each < lessons.possible[some]
            value = cross(lessons.value[some], log_chances(answer.value, possible))
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


def what_came_of(searched: Searched, found: float) -> Tensor:
    """[step, table, seat], what a decision was worth: how the game ended, with a share of what the
    search expected at each decision on the way. Where something else was played than what it found,
    what came before cannot tell what followed."""
    worth = torch.zeros_like(searched.results)
    ahead = searched.expected[-1]
    for step in reversed(range(len(worth))):
        ahead = torch.where(searched.done[step][:, None], searched.results[step], ahead)
        share = torch.where(searched.strayed[step], 1.0, found) * (searched.seats[step] >= 0)
        ahead = torch.lerp(ahead, searched.expected[step], share[:, None])
        worth[step] = ahead
    return worth


def knobs_of(settings: ExpertSettings) -> Array:
    """What steers the search, as `bots/guided.py` takes it."""
    knobs = np.zeros(guided.KNOBS)
    knobs[guided.EXPLORE] = settings.explore
    knobs[guided.UNTRIED] = settings.untried
    knobs[guided.HEAT] = settings.heat
    knobs[guided.ROOT_HEAT] = settings.root
    knobs[guided.AHEAD] = settings.ahead
    knobs[guided.LUCK] = settings.luck
    knobs[guided.STRETCH] = settings.stretch
    knobs[guided.WIDTH] = settings.width
    knobs[guided.LESSON] = settings.lesson
    knobs[guided.KEPT] = settings.kept
    return knobs
