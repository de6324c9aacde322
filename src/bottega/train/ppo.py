"""Proximal policy optimisation by self-play: the policy plays all seats of many tables at once.

Values are chances to win, one for each seat, so that any number of players is learned alike. What
a decision was worth is the difference between what its seat could expect before and what followed
(lambda returns along the decisions of the table). While learning, the game's own judge may give a
first guess of the values: where random play never comes to an end, nothing is learned without it.
It looks at everything, so it is good for this alone, and never tells an action.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.train.network import Network, cross, log_chances, log_policy
from bottega.train.settings import Settings
from bottega.train.tables import Short, Tables

WORTH = 0.5  # what the values' fit counts beside the policy's gain


class Rollout(NamedTuple):
    """Decisions at all tables, [step, table]."""

    inputs: Tensor  # what the seat knows, then what it may do
    guesses: Tensor  # logarithms of the judge's chances, as the seat sees the table
    seats: Tensor
    actions: Tensor
    chances: Tensor  # logarithms: how likely the policy was to choose them
    values: Tensor  # [step + 1, table, seat]
    results: Tensor  # [step, table, seat], where a game ended
    done: Tensor


class SelfPlay:
    """The tables, and a network that plays at them and learns."""

    def __init__(
        self,
        game: Game,
        kit: Kit,
        settings: Settings,
        network: Network,
        device: str,
        seed: int,
        left: float = 1.0,
    ) -> None:
        self.game = game
        self.settings = settings
        self.network = network
        self.device = device
        self.outcomes = network.value.out_features
        self._short = self._short_of(left)
        self.tables = Tables(game, kit, settings, settings.tables, self.outcomes, device, seed)
        self.optimiser = torch.optim.Adam(
            network.parameters(), lr=settings.rate, eps=1e-5, fused=device == "cuda"
        )
        self._loss: Any = compiled(loss) if settings.compile else loss
        self._shape = (settings.steps, len(self.tables))
        self._inputs = torch.zeros(
            (*self._shape, self.tables.inputs),
            dtype=torch.float16 if device == "cuda" else torch.float32,
            device=device,
        )

    # Playing

    def _short_of(self, left: float) -> Short:
        """What a lost game alone counts for, with a share of the training left."""
        return Short(self.settings.goal, self.settings.nearly * left)

    @torch.no_grad()
    def collect(self) -> Rollout:
        """Play at all tables for some steps."""
        tables = self.tables
        (steps, number), outcomes = self._shape, self.outcomes
        new = {"device": self.device}
        guesses = torch.zeros((steps + 1, number, outcomes), **new)
        seats = torch.zeros((steps, number), dtype=torch.int64, **new)
        actions = torch.zeros_like(seats)
        chances = torch.zeros((steps, number), **new)
        values = torch.zeros((steps + 1, number, outcomes), **new)
        results = torch.zeros((steps, number, outcomes), **new)
        done = torch.zeros((steps, number), dtype=torch.bool, **new)
        last = torch.zeros_like(self._inputs[0])
        for step in range(steps + 1):
            inputs = self._inputs[step] if step < steps else last
            now = tables.see(inputs, guesses[step] if self.settings.guess else None)
            with autocast(self.device):
                answer = self.network(inputs)
            scores = answer.correction + guesses[step] if self.settings.guess else answer.value
            fair = log_chances(scores, tables.each < tables.possible).exp()
            values[step] = tables.by_seat(fair, now)
            if step == steps:
                break
            legal = inputs[:, self.game.observation :] > 0
            likely = log_policy(answer.policy, legal)
            chosen = draw(likely)
            seats[step], actions[step] = now, chosen
            chances[step] = of(likely, chosen)
            tables.step(chosen, results[step], done[step], self._short)
        return Rollout(
            self._inputs, guesses[:steps], seats, actions, chances, values, results, done
        )

    # Learning

    def learn(self, rollout: Rollout, left: float) -> dict[str, float]:
        """Some epochs on a rollout, with a share of the training left; what was measured."""
        settings = self.settings
        for group in self.optimiser.param_groups:
            group["lr"] = settings.rate * left
        self._short = self._short_of(left)
        targets = returns(rollout, settings.smoothing)
        gains = (targets - rollout.values[:-1]).gather(2, rollout.seats[..., None]).flatten()
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        tables = self.tables
        turned = tables.turned(targets, rollout.seats).flatten(0, 1)
        possible = (tables.each < tables.possible).expand(*self._shape, -1).flatten(0, 1)
        columns = (
            rollout.inputs.flatten(0, 1),
            rollout.guesses.flatten(0, 1),
            possible,
            rollout.actions.flatten(),
            rollout.chances.flatten(),
            gains,
            turned,
        )
        knobs = torch.tensor([settings.clip, settings.entropy * left], device=self.device)
        measured = []
        for _ in range(settings.epochs):
            order = torch.randperm(len(gains), device=self.device)
            size = min(settings.minibatch, len(gains))
            for some in order[: len(gains) // size * size].split(size):
                picked = [column[some] for column in columns]
                with autocast(self.device):
                    whole, parts = self._loss(self.network, *picked, knobs)
                self.optimiser.zero_grad(set_to_none=True)
                whole.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.optimiser.step()
                measured.append(parts)
        value, entropy = torch.stack(measured).mean(0).tolist()
        return {"value loss": value, "entropy": entropy}


def returns(rollout: Rollout, smoothing: float) -> Tensor:
    """[step, table, seat], what each seat could expect as seen from what followed."""
    targets = torch.zeros_like(rollout.results)
    ahead = rollout.values[-1]
    for step in reversed(range(len(targets))):
        over = rollout.done[step][:, None]
        targets[step] = torch.where(over, rollout.results[step], ahead)
        ahead = torch.lerp(rollout.values[step], targets[step], smoothing)
    return targets


def loss(
    network: Network,
    inputs: Tensor,
    guesses: Tensor,
    possible: Tensor,
    actions: Tensor,
    before: Tensor,
    gains: Tensor,
    targets: Tensor,
    knobs: Tensor,
) -> tuple[Tensor, Tensor]:
    """What is made small, and the value's fit and the policy's entropy to look at."""
    answer = network(inputs)
    legal = inputs[:, -answer.policy.shape[-1] :] > 0
    likely = log_policy(answer.policy, legal)
    ratio = (of(likely, actions) - before).exp()
    clipped = ratio.clamp(1 - knobs[0], 1 + knobs[0])
    better = torch.min(ratio * gains, clipped * gains).mean()
    plain = cross(targets, log_chances(answer.value, possible))
    guessed = cross(targets, log_chances(answer.correction + guesses, possible))
    entropy = -(likely.exp() * likely).sum(-1).mean()
    whole = WORTH * (plain + guessed) - better - knobs[1] * entropy
    return whole, torch.stack([plain.detach(), entropy.detach()])


def compiled(function: Any) -> Any:
    """The function as PyTorch compiles it; as it is, where it cannot be compiled."""
    torch._dynamo.config.suppress_errors = True
    return torch.compile(function, dynamic=False)


def of(chances: Tensor, actions: Tensor) -> Tensor:
    """The chance of the action in each row."""
    return chances.gather(-1, actions[:, None]).squeeze(-1)


def draw(likely: Tensor) -> Tensor:
    """An action for each row of logarithms of chances: the largest, after Gumbel's noise."""
    return (likely - torch.empty_like(likely).exponential_().log()).argmax(-1)


def autocast(device: str) -> Any:
    """16-bit numbers where the device is much faster with them."""
    fast = device == "cuda" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return torch.autocast(device, torch.bfloat16, enabled=fast)
