"""Self-play PPO on a batch of tables, on the CPU or a GPU: one network learns all seats.

    python examples/ppo.py                               # a few minutes on a CPU
    python examples/ppo.py --device cuda --minutes 10

Each table asks one seat after the other, and the network answers for it from what that seat knows
(`encode`) among what it may do (`legal`). A game's rewards are credited to the last decision of
each seat. Every so often the network plays against `random` and `greedy`. Progress is printed; it
is kept in `ppo.log`, the plot in `ppo.svg` and the network in `ppo.pt`, all in `--folder`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

import bottega
from bottega.engine.runs import Plan
from bottega.envs.batch import Batch
from bottega.envs.seats import SeatTables

OPPONENTS = ("random", "greedy")

# What suits each device: as many tables at once as keep it busy.
SUITED = {
    "cpu": {"tables": 1024, "minibatch": 4096, "epochs": 2, "width": 256},
    "cuda": {"tables": 16384, "minibatch": 16384, "epochs": 2, "width": 512},
}


def read_arguments(arguments: list[str] | None) -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--game", default="splendor", choices=bottega.games())
    options.add_argument("--players", type=int, default=2)
    options.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options.add_argument("--minutes", type=float, default=5.0, help="of training")
    options.add_argument("--updates", type=int, default=10**9, help="at most")
    options.add_argument("--tables", type=int, help="played at the same time")
    options.add_argument("--steps", type=int, default=32, help="decisions a table and update")
    options.add_argument("--minibatch", type=int, help="decisions of one step of learning")
    options.add_argument("--epochs", type=int, help="through the decisions of an update")
    options.add_argument("--width", type=int, help="of the network's layers")
    options.add_argument("--rate", type=float, default=7e-4, help="of learning, falling to 0")
    options.add_argument("--gamma", type=float, default=0.998)
    options.add_argument("--smoothing", type=float, default=0.95, help="lambda of GAE")
    options.add_argument("--clip", type=float, default=0.2)
    options.add_argument("--entropy", type=float, default=0.01, help="its worth, falling to 0")
    options.add_argument("--limit", type=int, default=1000, help="decisions of a game")
    options.add_argument("--evaluate", type=float, default=60.0, help="seconds between two")
    options.add_argument("--tell", type=float, default=5.0, help="seconds between two lines")
    options.add_argument("--games", type=int, default=1000, help="of an evaluation")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--folder", type=Path, default=Path())
    options.set_defaults(**SUITED[options.parse_known_args(arguments)[0].device])
    return options.parse_args(arguments)


class Network(nn.Module):
    """What a seat knows and may do goes in; the chance of each action (as a logarithm) and the
    seat's prospects, added to a first guess of them, come out."""

    def __init__(self, observation: int, actions: int, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(observation + actions, width), nn.LayerNorm(width), nn.ReLU(),
            nn.Linear(width, width), nn.LayerNorm(width), nn.ReLU(),
            nn.Linear(width, width), nn.LayerNorm(width), nn.ReLU(),
        )  # fmt: skip
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)
        nn.init.orthogonal_(self.value.weight, 0.01)

    def forward(self, seen: Tensor, legal: Tensor, guess: Tensor) -> tuple[Tensor, Tensor]:
        body = self.body(torch.cat([seen, legal], -1))
        scores = self.policy(body).masked_fill(~legal, -1e9)
        return scores.log_softmax(-1), guess + self.value(body).squeeze(-1)


def draw(chances: Tensor) -> Tensor:
    """An action for each row of logarithms of chances: the largest, after Gumbel's noise."""
    return (chances - torch.empty_like(chances).exponential_().log()).argmax(-1)


def of(chances: Tensor, actions: Tensor) -> Tensor:
    """The chance of the action in each row."""
    return chances.gather(-1, actions[:, None]).squeeze(-1)


class Rollout(NamedTuple):
    """Decisions of all tables, [step, table]."""

    seen: Tensor
    legal: Tensor
    guesses: Tensor
    seats: Tensor
    actions: Tensor
    chances: Tensor  # logarithms
    values: Tensor
    rewards: Tensor  # [step, table, seat]
    done: Tensor
    last: Tensor  # [table], the prospects of whoever is asked after the last step
    last_seats: Tensor


def tensor(array: Any) -> Tensor:
    """An array of a batch as a tensor, on the same device and without a copy."""
    return torch.from_dlpack(array)


def first_guess(batch: Batch) -> Tensor:
    """What the game's own judge expects for the waiting seats. It looks at everything, so it is
    good for training alone: it never tells an action."""
    seats = tensor(batch.waiting)
    chance = of(tensor(batch.judge()), seats)
    return chance - (1 - chance) / max(1, batch.players - 1)


@torch.no_grad()
def collect(batch: Batch, network: Network, steps: int) -> Rollout:
    """Play at all tables for a while."""
    rows: list[tuple[Tensor, ...]] = []
    for _ in range(steps):
        seen, legal = tensor(batch.encode()).clone(), tensor(batch.legal()).clone()
        seats, guesses = tensor(batch.waiting).clone(), first_guess(batch)
        chances, values = network(seen, legal, guesses)
        actions = draw(chances)
        batch.step(actions)
        outcome = tensor(batch.rewards).clone(), tensor(batch.done).clone()
        rows.append((seen, legal, guesses, seats, actions, of(chances, actions), values, *outcome))
    _, last = network(tensor(batch.encode()), tensor(batch.legal()), first_guess(batch))
    stacked = [torch.stack(column) for column in zip(*rows, strict=True)]
    return Rollout(*stacked, last=last, last_seats=tensor(batch.waiting).clone())


def advantages(rollout: Rollout, gamma: float, smoothing: float) -> Tensor:
    """Generalised advantage estimation, along the decisions of each seat."""
    steps, tables, players = rollout.rewards.shape
    each = torch.arange(tables, device=rollout.rewards.device)
    # What each seat may expect after the rollout. Only one seat was asked; what it will win, the
    # others will lose.
    ahead = (-rollout.last / max(1, players - 1))[:, None].repeat(1, players)
    ahead[each, rollout.last_seats] = rollout.last
    later = torch.zeros_like(ahead)  # the advantage of each seat's next decision
    earned = torch.zeros_like(ahead)  # what each seat got since its latest decision
    result = torch.zeros_like(rollout.values)
    for step in reversed(range(steps)):
        over = rollout.done[step][:, None]
        ahead, later = ahead.masked_fill(over, 0.0), later.masked_fill(over, 0.0)
        earned = torch.where(over, rollout.rewards[step], earned)
        seats = rollout.seats[step]
        surprise = earned[each, seats] + gamma * ahead[each, seats] - rollout.values[step]
        result[step] = surprise + gamma * smoothing * later[each, seats]
        later[each, seats] = result[step]
        ahead[each, seats] = rollout.values[step]
        earned[each, seats] = 0.0
    return result


def learn(
    network: Network, optimiser: torch.optim.Optimizer, rollout: Rollout, asked: Any, left: float
) -> dict:
    """Some epochs of PPO on a rollout, with a share of the training left; what was measured on the
    way."""
    optimiser.param_groups[0]["lr"] = asked.rate * left
    gains = advantages(rollout, asked.gamma, asked.smoothing).flatten()
    targets = gains + rollout.values.flatten()
    gains = (gains - gains.mean()) / (gains.std() + 1e-8)
    whole = (column.flatten(0, 1) for column in rollout[:6])
    seen, legal, guesses, _, actions, chances = whole
    measured = []
    for _ in range(asked.epochs):
        for some in torch.randperm(len(gains), device=gains.device).split(asked.minibatch):
            now, values = network(seen[some], legal[some], guesses[some])
            ratio = (of(now, actions[some]) - chances[some]).exp()
            clipped = ratio.clamp(1 - asked.clip, 1 + asked.clip)
            better = torch.min(ratio * gains[some], clipped * gains[some]).mean()
            wrong = (values - targets[some]).square().mean()
            entropy = -(now.exp() * now).sum(-1).mean()
            loss = 0.5 * wrong - better - asked.entropy * left * entropy
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()
            measured.append(torch.stack([wrong.detach(), entropy.detach()]))
    wrong, entropy = torch.stack(measured).mean(0).tolist()
    return {"value loss": wrong, "entropy": entropy}


@torch.no_grad()
def evaluate(network: Network, asked: Any, opponent: str) -> float:
    """The share of games that the network wins, from any seat, taking the best action always."""
    plan = Plan.make(bottega.game(asked.game), asked.players, asked.games, 0, asked.limit,
                     "default", {})  # fmt: skip
    tables = SeatTables(plan, opponent if asked.players > 1 else [])
    tables.reset(seed=10**9)
    results = np.full(asked.games, np.nan)
    while np.isnan(results).any():
        seen = torch.from_numpy(tables.observations).to(asked.device)
        legal = torch.from_numpy(tables.legal()).to(asked.device).bool()
        chances, _ = network(seen, legal, torch.zeros(1, device=asked.device))
        tables.step(chances.argmax(-1).cpu().numpy())
        ended = (tables.terminated | tables.truncated) & np.isnan(results)
        results[ended] = tables.rewards[ended]
    return float((results > 0).mean())


def plot(history: list[dict], file: Path) -> None:
    """The share of games won against each opponent, over the decisions learned from."""
    most = max(row["decisions"] for row in history) or 1
    parts = ['<rect width="640" height="400" fill="#fff"/>',
             f'<text x="400" y="385">{most / 1e6:.1f} million decisions</text>']  # fmt: skip
    for percent in range(0, 101, 20):
        y = 350 - 3 * percent
        parts.append(f'<path d="M60 {y}H600" stroke="#ddd"/>')
        parts.append(f'<text x="16" y="{y + 4}">{percent} %</text>')
    for name, colour, x in zip(OPPONENTS, ("#2a6fb0", "#b0462a"), (80, 230), strict=True):
        at = ((60 + 540 * row["decisions"] / most, 350 - 300 * row[name]) for row in history)
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{x}" y="30" fill="{colour}">won against {name}</text>')
    about = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif"'
    file.write_text(f'<svg {about} font-size="13">{"".join(parts)}</svg>', encoding="utf-8")


def say(text: str, folder: Path) -> None:
    """Print a line of progress, and keep it."""
    print(text, flush=True)
    with (folder / "ppo.log").open("a", encoding="utf-8") as file:
        print(text, file=file)


def main(arguments: list[str] | None = None) -> list[dict]:
    asked = read_arguments(arguments)
    torch.manual_seed(asked.seed)
    torch.set_float32_matmul_precision("high")
    asked.folder.mkdir(parents=True, exist_ok=True)
    batch = bottega.batch(asked.game, asked.tables, asked.players, device=asked.device,
                          seed=asked.seed, limit=asked.limit)  # fmt: skip
    network = Network(batch.game.observation, batch.actions, asked.width).to(asked.device)
    optimiser = torch.optim.Adam(network.parameters(), lr=asked.rate, eps=1e-5, fused=True)
    collect(batch, network, 1)  # compiles
    say(" ".join(f"{name}={value}" for name, value in vars(asked).items()), asked.folder)
    history: list[dict] = []
    trained = 0.0  # seconds of training
    checked, told = -asked.evaluate, -asked.tell  # when it was evaluated and told last
    for update in range(asked.updates + 1):
        decisions = update * asked.tables * asked.steps
        over = update == asked.updates or trained > 60 * asked.minutes
        if over or trained - checked >= asked.evaluate:
            checked = trained
            row = {name: evaluate(network, asked, name) for name in OPPONENTS}
            history.append({"decisions": decisions, "seconds": trained, **row})
            plot(history, asked.folder / "ppo.svg")
            torch.save(network.state_dict(), asked.folder / "ppo.pt")
            won = ", ".join(f"{row[name]:.1%} against {name}" for name in OPPONENTS)
            say(f"after {trained:.0f} s and {decisions:,} decisions: won {won}", asked.folder)
        if over:
            return history
        started = time.perf_counter()
        left = 1 - max(trained / (60 * asked.minutes), update / asked.updates)
        rollout = collect(batch, network, asked.steps)
        measured = learn(network, optimiser, rollout, asked, left)
        lasted = time.perf_counter() - started
        trained += lasted
        if trained - told >= asked.tell:
            told = trained
            numbers = ", ".join(f"{name} {value:.3f}" for name, value in measured.items())
            speed, ended = rollout.done.numel() / lasted, int(rollout.done.sum())
            say(f"{trained:.0f} s, update {update}: {speed:,.0f} decisions/s, "
                f"{ended} games ended, {numbers}", asked.folder)  # fmt: skip
    return history


if __name__ == "__main__":
    main()
