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

import bottega
from bottega.engine.contract import PLACE, SCORE
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.envs.batch import Batch
from bottega.train.network import Network, cross, log_chances, log_policy
from bottega.train.settings import Settings

LEAST = 1e-3  # a guess of the judge is taken to be at least this
WORTH = 0.5  # what the values' fit counts beside the policy's gain


def tensor(array: Any) -> Tensor:
    """An array of a batch as a tensor, on the same device and without a copy."""
    return torch.from_dlpack(array)


class Group:
    """Tables of one kind. All tensors show the batch as it is now."""

    def __init__(self, batch: Batch, outcomes: int) -> None:
        self.batch = batch
        self.possible = max(2, batch.players)  # outcomes; alone, one wins or does not
        self.seen = tensor(batch.encode())
        self.legal = tensor(batch.legal())
        self.guesses = tensor(batch.judge())
        self.seats = tensor(batch.waiting)
        self.done = tensor(batch.done)
        self.standings = tensor(batch.standings)
        self._each = torch.arange(outcomes, device=self.seats.device)

    def refresh(self, guess: bool) -> None:
        """See what the waiting seats know and may do."""
        self.batch.encode()
        self.batch.legal()
        if guess:
            self.batch.judge()

    def turned(self, by_seat: Tensor) -> Tensor:
        """[table, outcome] as the waiting seats see it, from [table, seat]."""
        places = (self.seats[:, None] + self._each) % self.possible
        return or_lose(by_seat).gather(1, places[:, : self.possible])


def mixed(
    game: Game, kit: Kit, settings: Settings, tables: int, device: str, seed: int
) -> list[Batch]:
    """So many tables in all, shared out as the settings mix them."""
    whole = sum(share.share for share in settings.mix)
    return [
        bottega.batch(
            game.name,
            max(1, round(tables * share.share / whole)),
            share.players,
            device=device,
            seed=seed + (at << 40),
            limit=settings.limit,
            kit=kit,
            **share.options,
        )
        for at, share in enumerate(settings.mix)
    ]


def results_of(standings: Tensor, short: Short | None = None) -> Tensor:
    """[table, outcome by seat], who won where a game ended just now; alone, falling short may count
    for something."""
    won = (standings[:, :, PLACE] == 1).float()
    if short is not None and standings.shape[1] == 1:
        close = short.worth ** (short.goal - standings[:, :, SCORE]).clamp(min=1).float()
        won = torch.maximum(won, close)
    return or_lose(won / won.sum(1, keepdim=True).clamp(min=1.0))


def or_lose(chances: Tensor) -> Tensor:
    """[table, outcome by seat]; alone, the other outcome is to lose."""
    return torch.cat([chances, 1 - chances], 1) if chances.shape[1] == 1 else chances


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


class Short(NamedTuple):
    """Alone, nobody wins by chance, and where nobody wins nothing is learned. So a lost game is
    worth something at first, the more the closer its score came to the goal."""

    goal: int  # the score that wins
    worth: float  # of being a point short; of each further one, so much of that


class SelfPlay:
    """The tables, and a network that plays at them and learns."""

    def __init__(
        self, game: Game, kit: Kit, settings: Settings, network: Network, device: str, seed: int
    ) -> None:
        self.game = game
        self.settings = settings
        self.network = network
        self.device = device
        self.outcomes = network.value.out_features
        self._short = Short(settings.goal, settings.nearly)
        batches = mixed(game, kit, settings, settings.tables, device, seed)
        self.groups = [Group(batch, self.outcomes) for batch in batches]
        sizes = [len(group.batch) for group in self.groups]
        self.sizes = sizes
        self.tables = sum(sizes)
        self.possible = self._columns([group.possible for group in self.groups])
        self.each = torch.arange(self.outcomes, device=device)
        self.optimiser = torch.optim.Adam(
            network.parameters(), lr=settings.rate, eps=1e-5, fused=device == "cuda"
        )
        self._loss: Any = compiled(loss) if settings.compile else loss
        self._shape = (settings.steps, self.tables)
        self._inputs = torch.zeros(
            (*self._shape, game.observation + game.actions),
            dtype=torch.float16 if device == "cuda" else torch.float32,
            device=device,
        )

    def _columns(self, numbers: list[int]) -> Tensor:
        """[table, 1], a number for each group."""
        of = torch.tensor(numbers).repeat_interleave(torch.tensor(self.sizes))
        return of.to(self.device)[:, None]

    # Playing

    @torch.no_grad()
    def collect(self) -> Rollout:
        """Play at all tables for some steps."""
        steps, tables, outcomes = *self._shape, self.outcomes
        new = {"device": self.device}
        guesses = torch.zeros((steps + 1, tables, outcomes), **new)
        seats = torch.zeros((steps, tables), dtype=torch.int64, **new)
        actions = torch.zeros_like(seats)
        chances = torch.zeros((steps, tables), **new)
        values = torch.zeros((steps + 1, tables, outcomes), **new)
        results = torch.zeros((steps, tables, outcomes), **new)
        done = torch.zeros((steps, tables), dtype=torch.bool, **new)
        last = torch.zeros_like(self._inputs[0])
        for step in range(steps + 1):
            inputs = self._inputs[step] if step < steps else last
            now = self._see(inputs, guesses[step])
            with autocast(self.device):
                answer = self.network(inputs)
            scores = answer.correction + guesses[step] if self.settings.guess else answer.value
            fair = log_chances(scores, self.each < self.possible).exp()
            values[step] = self._by_seat(fair, now)
            if step == steps:
                break
            legal = inputs[:, self.game.observation :] > 0
            likely = log_policy(answer.policy, legal)
            chosen = draw(likely)
            seats[step], actions[step] = now, chosen
            chances[step] = of(likely, chosen)
            self._step(chosen, results[step], done[step])
        return Rollout(
            self._inputs, guesses[:steps], seats, actions, chances, values, results, done
        )

    def _see(self, inputs: Tensor, guesses: Tensor) -> Tensor:
        """Fill in what all waiting seats know and may do; who they are."""
        seen = self.game.observation
        at = 0
        for group, size in zip(self.groups, self.sizes, strict=True):
            rows = slice(at, at + size)
            group.refresh(self.settings.guess)
            inputs[rows, :seen] = group.seen
            inputs[rows, seen:] = group.legal
            if self.settings.guess:
                guess = group.turned(group.guesses.clamp(min=LEAST)).log()
                guesses[rows, : group.possible] = guess
            at += size
        return torch.cat([group.seats for group in self.groups])

    def _by_seat(self, chances: Tensor, seats: Tensor) -> Tensor:
        """Chances by seat, from those as the waiting seats see them; 0 where nobody sits."""
        ahead = (self.each - seats[:, None]) % self.possible
        return chances.gather(1, ahead) * (self.each < self.possible)

    def _step(self, actions: Tensor, results: Tensor, done: Tensor) -> None:
        at = 0
        for group, size in zip(self.groups, self.sizes, strict=True):
            rows = slice(at, at + size)
            group.batch.step(actions[rows])
            results[rows, : group.possible] = results_of(group.standings, self._short)
            done[rows] = group.done
            at += size

    # Learning

    def learn(self, rollout: Rollout, left: float) -> dict[str, float]:
        """Some epochs on a rollout, with a share of the training left; what was measured."""
        settings = self.settings
        for group in self.optimiser.param_groups:
            group["lr"] = settings.rate * left
        self._short = Short(settings.goal, settings.nearly * left)
        targets = returns(rollout, settings.smoothing)
        gains = (targets - rollout.values[:-1]).gather(2, rollout.seats[..., None]).flatten()
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        turned = self._turned(targets, rollout.seats).flatten(0, 1)
        possible = (self.each < self.possible).expand(*self._shape, -1).flatten(0, 1)
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

    def _turned(self, by_seat: Tensor, seats: Tensor) -> Tensor:
        """[step, table, outcome] as those who decided see it."""
        places = (seats[..., None] + self.each) % self.possible
        return by_seat.gather(2, places) * (self.each < self.possible)


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
