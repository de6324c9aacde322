"""Let two searches play each other at hundreds of tables at once: `python tools/duel.py splendor`.

Each is a network with so many iterations a decision and the constants of its search; without
iterations it plays by the policy alone. Two players, each deal from both seats. Made for comparing
networks on their way, and for what an iteration is worth: nobody counts seconds here.

    python tools/duel.py splendor --one runs/splendor/net.safetensors@48 --two @48 width=0
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import bottega
from bottega.bots import guided, net
from bottega.bots.steering import steering
from bottega.engine.game import Game
from bottega.engine.runs import Array
from bottega.lab.simulate import wilson
from bottega.train.searches import Searches

NAMES = (
    "explore",
    "untried",
    "judged",
    "heat",
    "root",
    "ahead",
    "width",
    "stretch",
    "luck",
    "lesson",
    "kept",
)


class Side:
    """One of the two."""

    def __init__(self, game: Game, words: list[str], players: int, tables: int) -> None:
        file, _, iterations = words[0].partition("@")
        learned = net.read(Path(file), game) if file else net.shipped(game)
        assert learned is not None, f"no network comes with {game.title}"
        usual = steering(game.name, players, True).knobs
        knobs = np.zeros(guided.KNOBS)
        knobs[: len(usual)] = usual
        knobs[guided.KEPT] = 1.0  # without iterations nothing else says what to play
        for word in words[1:]:
            name, _, value = word.partition("=")
            knobs[NAMES.index(name)] = float(value)
        self.text = " ".join(words)
        self.game = game
        self.iterations = int(iterations or 1)
        self.searches = Searches(game, game.kit(), tables, self.iterations, knobs)
        self.searches.take(learned.net)
        self.spent = 0.0
        self.decided = 0

    def choose(self, tables: Array, seats: Array, seeds: Array) -> Array:
        """What it would do at the tables that ask one of its seats (-1: another one's)."""
        began = time.perf_counter()
        noise = np.zeros((len(seats), self.game.actions), np.float32)
        found = self.searches.search([tables], seats, seeds, noise)
        self.spent += time.perf_counter() - began
        self.decided += int((seats >= 0).sum())
        return found.policy.argmax(1) if self.iterations == 1 else found.action


def duel(game: Game, one: Side, two: Side, games: int, seed: int, players: int) -> Array:
    """For each game, the first one's share of the win."""
    deals = -(-games // players)
    batches = [
        bottega.batch(game.name, deals, players, seed=seed, limit=3000, auto_reset=False)
        for _ in range(players)
    ]
    random = np.random.default_rng(seed)
    results = []
    for mine, batch in enumerate(batches):
        while (batch.waiting >= 0).any():
            masks = batch.legal(packed=True)
            asked = np.where(np.bitwise_count(masks).sum(1) > 1, batch.waiting, -1)
            seeds = random.integers(0, 1 << 63, deals, dtype=np.uint64)
            first = one.choose(batch.state, np.where(asked == mine, asked, -1), seeds)
            second = two.choose(batch.state, np.where(asked != mine, asked, -1), seeds)
            forced = batch.legal().argmax(1)
            chosen = np.where(asked == mine, first, second)
            batch.step(np.where(asked >= 0, chosen, forced))
        won = batch.standings[:, :, 0] == 1
        results.append(won[:, mine] / np.maximum(1, won.sum(1)))
    return np.concatenate(results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--one", nargs="+", default=["@1"], help="[FILE]@ITERATIONS NAME=VALUE ...")
    parser.add_argument("--two", nargs="+", default=["@1"])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--seed", type=int, default=10**6)
    asked = parser.parse_args()
    game = bottega.game(asked.game)
    deals = -(-asked.games // asked.players)
    sides = [Side(game, words, asked.players, deals) for words in (asked.one, asked.two)]
    won = duel(game, *sides, asked.games, asked.seed, asked.players)
    low, high = wilson(won.sum(), len(won))
    times = ", ".join(f"{1e3 * side.spent / max(1, side.decided):.2f}" for side in sides)
    print(
        f"{game.name}: {sides[0].text} won {won.mean():.1%} ({low:.1%} to {high:.1%}) of {len(won)}"
        f" against {sides[1].text}; {times} ms a decision on all cores",
        flush=True,
    )


if __name__ == "__main__":
    main()
