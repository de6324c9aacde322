"""A run of training: a folder with all that made it, which the next start goes on from."""

from __future__ import annotations

import json
import math
import platform
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

import bottega
from bottega.bots import net as compiled
from bottega.engine.errors import BadOption, NetError
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.envs.batch import check_device
from bottega.train import settings as reader
from bottega.train.card import card
from bottega.train.compare import against, against_self
from bottega.train.curves import draw_curves
from bottega.train.expert import Expert
from bottega.train.network import Network
from bottega.train.ppo import SelfPlay

CHECKPOINT, NET, LOG, CURVES, CARD, ABOUT = (
    "checkpoint.pt",
    compiled.FILE,
    "log.jsonl",
    "curves.svg",
    "NET.md",
    "run.json",
)
KEPT = 60.0  # seconds between two checkpoints
TOLD = 5.0  # seconds between two lines of the log
PHASES = ("ppo", "expert")


@dataclass
class Past:
    """What a run has behind it."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    decisions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PHASES, 0))
    curves: list[dict[str, Any]] = field(default_factory=list)
    starts: list[dict[str, Any]] = field(default_factory=list)
    begun: dict[str, str] = field(default_factory=dict)  # what the network it began with says


@dataclass(frozen=True)
class Wish:
    """What is asked of a run."""

    minutes: float = 10.0  # of PPO, all starts together
    expert: float = 5.0  # minutes of expert iteration, likewise
    evaluate: float = 120.0  # seconds between two measurements
    games: int = 400  # of a measurement
    seed: int = 1


Tell = Callable[[dict[str, Any]], None]


class Run:
    """A network on its way."""

    def __init__(
        self,
        game: Game,
        folder: Path,
        kit: Kit,
        device: str,
        settings: Path | None,
        wish: Wish,
        tell: Tell,
        start: Path | None = None,
    ) -> None:
        self.game = game
        self.folder = folder
        self.kit = kit
        self.device = device
        self.wish = wish
        self.settings = reader.read(game, device, settings)
        # A name, not a path, which would tell of somebody's machine.
        self._settings_file = settings.name if settings else "src/bottega/train/settings.toml"
        self.past = Past()
        self._tell = tell
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(wish.seed)
        torch.set_float32_matmul_precision("high")
        self.network = Network(game, self.settings.wide, self.settings.narrow).to(device)
        self._optimiser: dict[str, Any] = {}  # by phase
        self._load(start)
        self._before = self._snapshot()
        self.past.starts.append(self._start())

    # The folder

    def _load(self, start: Path | None) -> None:
        """Go on where the folder's run has stopped, or begin with a network."""
        file = self.folder / CHECKPOINT
        if not file.exists():
            if start is not None:
                self._begin_with(compiled.read(start, self.game))
            return
        kept = torch.load(file, map_location=self.device, weights_only=True)
        if (kept["game"], kept["kit"]) != (self.game.name, self.kit.hash):
            raise BadOption(f"{self.folder} holds a run of {kept['game']} with another kit or game")
        try:
            self.network.load_state_dict(kept["network"])
        except RuntimeError:
            raise BadOption(
                f"{self.folder} holds a network of another shape; name another folder"
            ) from None
        self.past = Past(**kept["past"])
        self._optimiser = kept["optimiser"]

    def _begin_with(self, learned: compiled.Learned) -> None:
        shape = learned.net.second.shape
        if shape != (self.settings.wide, self.settings.narrow):
            raise BadOption(f"the network to begin with is {shape[0]} wide and {shape[1]} narrow")
        self.network.load(learned)
        self.past.begun = learned.about

    def keep(self) -> None:
        """Write everything down, so that another start goes on from here."""
        kept = {
            "game": self.game.name,
            "kit": self.kit.hash,
            "network": self.network.state_dict(),
            "optimiser": self._optimiser,
            "past": vars(self.past),
        }
        written = self.folder / f"{CHECKPOINT}.new"
        torch.save(kept, written)
        written.replace(self.folder / CHECKPOINT)
        self.network.save(self.folder / NET, self.about())
        (self.folder / ABOUT).write_text(json.dumps(self.record(), indent=2), encoding="utf-8")
        draw_curves(self.past.curves, self.folder / CURVES)
        (self.folder / CARD).write_text(card(self.game, self.record()), encoding="utf-8")

    def about(self) -> dict[str, str]:
        """What a network says of itself."""
        hours = sum(self.past.seconds.values()) / 3600
        return {
            "game": self.game.name,
            "kit": self.kit.hash,
            "players": " ".join(str(n) for n in sorted({s.players for s in self.settings.mix})),
            "rules": str(self.game.rules_version),
            "made": f"bottega {bottega.__version__}, {hours:.2f} hours",
            "decisions": str(
                int(self.past.begun.get("decisions", 0)) + sum(self.past.decisions.values())
            ),
        }

    def record(self) -> dict[str, Any]:
        """What made the network."""
        return {
            "game": self.game.name,
            "kit": {"name": self.kit.name, "hash": self.kit.hash},
            "settings": self.settings.plain(),
            "hours": {phase: self.past.seconds[phase] / 3600 for phase in PHASES},
            "decisions": self.past.decisions,
            "starts": self.past.starts,
            "begun": self.past.begun,
            "curves": self.past.curves,
        }

    def _start(self) -> dict[str, Any]:
        return {
            "commit": commit(),
            "version": bottega.__version__,
            "seed": self.wish.seed,
            "settings": self._settings_file,
            "device": torch.cuda.get_device_name() if self.device == "cuda" else platform.machine(),
            "torch": str(torch.__version__),
            "began": time.strftime("%Y-%m-%d %H:%M"),
        }

    def _log(self, row: dict[str, Any]) -> None:
        with (self.folder / LOG).open("a", encoding="utf-8") as file:
            print(json.dumps(row), file=file)
        self._tell(row)

    # Training

    def train(self) -> None:
        """Everything that was asked for and is not done yet. Ctrl-C keeps what there is."""
        try:
            self._phase("ppo", 60 * self.wish.minutes, self._play_alone)
            self._phase("expert", 60 * self.wish.expert, self._play_by_search)
        except NetError:  # it broke down: what was kept before stands
            raise
        except BaseException:
            self.keep()
            raise
        self.keep()

    def _phase(
        self, phase: str, seconds: float, begin: Callable[[], Iterator[dict[str, float]]]
    ) -> None:
        """Steps until so many seconds are spent; between them it is told, kept and measured."""
        past = self.past
        if past.seconds[phase] >= seconds:
            return
        steps = begin()
        told = kept = measured = time.monotonic()
        while past.seconds[phase] < seconds:
            began = time.monotonic()
            row = next(steps)
            self._check(row)
            now = time.monotonic()
            past.seconds[phase] += now - began
            if now - told >= TOLD:
                self._log(self._row(phase, seconds) | row)
                told = now
            if now - kept >= KEPT:
                self.keep()
                kept = time.monotonic()
            if now - measured >= self.wish.evaluate:
                self.measure(phase)
                measured = time.monotonic()
        self.measure(phase)
        self.keep()
        # What a phase came to can be compared with what the next one makes of it.
        self.network.save(self.folder / f"{phase}.safetensors", self.about())

    def _check(self, row: dict[str, float]) -> None:
        """A number that is none spoils every weight at once."""
        broken = [name for name, number in row.items() if not math.isfinite(number)]
        if broken:
            raise NetError(
                f"learning broke down ({broken[0]} is no number any more); {self.folder} keeps "
                "what was there before, and the same command goes on from there"
            )

    def _row(self, phase: str, seconds: float) -> dict[str, Any]:
        spent, decisions = self.past.seconds[phase], self.past.decisions[phase]
        return {
            "phase": phase,
            "seconds": round(spent, 1),
            "of": seconds,
            "decisions": decisions,
            "speed": round(decisions / max(1e-9, spent)),
        }

    def _left(self, phase: str, seconds: float) -> float:
        return max(0.02, 1 - self.past.seconds[phase] / seconds)

    def _play_alone(self) -> Iterator[dict[str, float]]:
        """PPO: a rollout, and what is learned from it."""
        seconds = 60 * self.wish.minutes
        play = SelfPlay(
            self.game,
            self.kit,
            self.settings,
            self.network,
            self.device,
            self._seed("ppo"),
            self._left("ppo", seconds),
        )
        if "ppo" in self._optimiser:
            play.optimiser.load_state_dict(self._optimiser["ppo"])
        while True:
            rollout = play.collect()
            measured = play.learn(rollout, self._left("ppo", seconds))
            self.past.decisions["ppo"] += rollout.done.numel()
            self._optimiser["ppo"] = play.optimiser.state_dict()
            yield measured | {"ended": int(rollout.done.sum())}

    def _play_by_search(self) -> Iterator[dict[str, float]]:
        """Expert iteration: some decisions at every table, and what is learned from them."""
        expert = Expert(
            self.game, self.kit, self.settings, self.network, self.device, self._seed("expert")
        )
        if "expert" in self._optimiser:
            expert.optimiser.load_state_dict(self._optimiser["expert"])
        measured: dict[str, float] = {}
        while True:
            self.past.decisions["expert"] += expert.collect()
            measured = expert.learn(self._left("expert", 60 * self.wish.expert)) or measured
            self._optimiser["expert"] = expert.optimiser.state_dict()
            yield measured

    def _seed(self, phase: str) -> int:
        """Where the deals of this start begin: none is dealt twice."""
        return self.wish.seed + (self.past.decisions[phase] << 8)

    # Measuring

    def measure(self, phase: str) -> None:
        """How the policy alone does against bots and against what it was before."""
        row: dict[str, Any] = self._row(phase, 0.0)
        for opponent in ("random", "greedy"):
            row[opponent] = against(self.network, self.game, self.kit, opponent, self.wish.games)
        if self.game.seats[1] > 1:
            row["earlier self"] = against_self(
                self.network, self._before, self.game, self.kit, self.wish.games, self.settings
            )
        self._before = self._snapshot()
        self.past.curves.append(row)
        self._log({"measured": True, **row})

    def _snapshot(self) -> Network:
        copy = Network(self.game, self.settings.wide, self.settings.narrow).to(self.device)
        copy.load_state_dict(self.network.state_dict())
        return copy


def device(asked: str | None) -> str:
    """Where to train: a GPU, if there is one and nothing else was asked for."""
    if asked is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    if check_device(asked) == "cuda" and not torch.cuda.is_available():
        raise BadOption("device='cuda' needs a CUDA GPU, and PyTorch found none")
    return asked


def commit() -> str:
    """Of the sources that train, if they come from a repository."""
    folder = Path(__file__).parent
    try:
        asked = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return asked.stdout.strip()
