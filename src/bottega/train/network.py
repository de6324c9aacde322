"""The network as PyTorch learns it. `bots/net.py` plays by it without PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from bottega.bots import net as compiled
from bottega.engine.game import Game


class Answer(NamedTuple):
    """What a network says, for each row."""

    policy: Tensor  # [row, action], scores
    value: Tensor  # [row, outcome], scores: the seat wins, the next one clockwise does, ...
    correction: Tensor  # likewise, to be added to what the game's own judge expects


class Network(nn.Module):
    """Three layers; what a seat knows and may do goes in."""

    def __init__(self, game: Game, wide: int, narrow: int) -> None:
        super().__init__()
        outcomes = compiled.outcomes_of(game)
        self.first = nn.Linear(game.observation + game.actions, wide)
        self.first_norm = nn.LayerNorm(wide)
        self.second = nn.Linear(wide, narrow)
        self.second_norm = nn.LayerNorm(narrow)
        self.third = nn.Linear(narrow, narrow)
        self.third_norm = nn.LayerNorm(narrow)
        self.policy = nn.Linear(narrow, game.actions)
        self.value = nn.Linear(narrow, outcomes)
        self.correction = nn.Linear(narrow, outcomes)
        for head in (self.policy, self.value, self.correction):
            nn.init.orthogonal_(head.weight, 0.01)
            nn.init.zeros_(head.bias)

    def forward(self, inputs: Tensor) -> Answer:
        one = functional.relu(self.first_norm(self.first(inputs)))
        two = functional.relu(self.second_norm(self.second(one)))
        three = two + functional.relu(self.third_norm(self.third(two)))
        return Answer(self.policy(three), self.value(three), self.correction(three))

    def weights(self) -> dict[str, Any]:
        """As `bots/net.py` reads them: those of one input lie together."""
        found: dict[str, Any] = {}
        for name in ("first", "second", "third"):
            layer, norm = getattr(self, name), getattr(self, f"{name}_norm")
            found[name] = layer.weight.T
            found[f"{name}_norm"] = torch.stack([layer.bias, norm.weight, norm.bias])
        for name in ("policy", "value"):
            head = getattr(self, name)
            found[name], found[f"{name}_bias"] = head.weight.T, head.bias
        return {
            name: numbers.detach().float().cpu().contiguous().numpy()
            for name, numbers in found.items()
        }

    def save(self, file: Path, about: dict[str, str]) -> None:
        compiled.save(file, self.weights(), about)

    def load(self, learned: compiled.Learned) -> None:
        """Take over a network that was saved; the correction begins at nothing."""
        plain = compiled.plain(learned.net)
        of = {name: torch.from_numpy(numbers) for name, numbers in plain.items()}
        with torch.no_grad():
            for name in ("first", "second", "third"):
                layer, norm = getattr(self, name), getattr(self, f"{name}_norm")
                layer.weight.copy_(of[name].T)
                for row, target in enumerate((layer.bias, norm.weight, norm.bias)):
                    target.copy_(of[f"{name}_norm"][row])
            for name in ("policy", "value"):
                getattr(self, name).weight.copy_(of[name].T)
                getattr(self, name).bias.copy_(of[f"{name}_bias"])


def log_policy(scores: Tensor, legal: Tensor) -> Tensor:
    """Logarithms of the chances of legal actions."""
    return scores.float().masked_fill(~legal, -1e9).log_softmax(-1)


def log_chances(scores: Tensor, possible: Tensor) -> Tensor:
    """Logarithms of the chances of the outcomes that are possible with so many players."""
    return scores.float().masked_fill(~possible, -1e9).log_softmax(-1)


def cross(targets: Tensor, logarithms: Tensor) -> Tensor:
    """How badly logarithms of chances fit what came out, on average."""
    return -(targets * logarithms).sum(-1).mean()
