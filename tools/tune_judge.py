"""Tune the weights of a game's `judge` by play: `python tools/tune_judge.py splendor`.

Greedy bots play each other, now and then at random, so that all kinds of tables come up. Then
the weights are fitted by maximum likelihood: at each table seen, the chances that `judge` gives
should foretell who won. The new weights make better greedy bots, whose games are fitted again.
Each round runs in a process of its own, since the weights are compiled into the rules.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import bottega
from bottega.engine.game import Game
from bottega.engine.weights import load_weights, save_weights

Array = np.ndarray[Any, Any]
STRAY = 0.08  # share of decisions taken at random
RIDGE = 3.0  # keeps weights small where the games say little


def collect(name: str, games: int, seed: int, file: Path) -> None:
    """Play games and write the features of each seat at each table, and who won."""
    game = bottega.game(name)
    rows, won, groups = [], [], []
    for number in track(range(games), f"{name}: games", transient=True):
        players = random.Random(seed + number).randint(max(2, game.seats[0]), game.seats[1])
        features, winners = one_game(game, players, seed + number)
        if winners:
            for seats in features:
                groups.append(players)
                rows += list(seats)
                won += [(seat in winners) / len(winners) for seat in range(players)]
    np.savez(file, rows=np.array(rows), won=np.array(won), groups=np.array(groups))


def one_game(game: Game, players: int, seed: int) -> tuple[list[Array], list[int]]:
    """The features of all seats after each turn, and the winners."""
    chance = random.Random(seed)
    match = game.new(players, seed, limit=3000)
    bots = [bottega.bot("greedy", seed=seed + seat) for seat in range(players)]
    units = np.eye(len(game.sense.FEATURES))
    features, turns = [], 0
    while not match.over:
        seat = match.waiting[0]
        action: Any = bots[seat].choose(match, seat)
        if chance.random() < STRAY:
            action = chance.choice(match.legal_numbers(seat))
        match.play(seat, action)
        if match.turns != turns and chance.random() < 0.5:
            turns = match.turns
            kit, s = match.kit.record[0], match._table[0]
            look = game.sense.prospects
            features.append(
                np.array([[look(kit, s, i, unit) for unit in units] for i in range(players)])
            )
    return features, match.winners


def fit(files: list[Path], start: Array) -> tuple[Array, float]:
    """Weights of the greatest likelihood, by Newton's method; and the likelihood per table."""
    loaded = [np.load(file) for file in files]
    rows = np.concatenate([data["rows"] for data in loaded])
    won = np.concatenate([data["won"] for data in loaded])
    table = np.repeat(
        np.arange(sum(len(data["groups"]) for data in loaded)),
        np.concatenate([data["groups"] for data in loaded]),
    )
    weights = start.copy()
    for _ in range(25):
        chances = softmax(rows @ weights, table)
        gradient = rows.T @ (won - chances) - RIDGE * weights
        centred = rows - sums(rows * chances[:, None], table)[table]
        hessian = centred.T @ (centred * chances[:, None]) + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(hessian, gradient)
        weights += step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-4:
            break
    chances = softmax(rows @ weights, table)
    likelihood = float((won * np.log(np.maximum(chances, 1e-12))).sum() / (table[-1] + 1))
    return weights, likelihood


def softmax(values: Array, table: Array) -> Array:
    """Chances from prospects, table by table."""
    middle = (np.bincount(table, values) / np.bincount(table))[table]
    grown = np.exp(np.clip(values - middle, -50, 50))
    return np.asarray(grown / np.bincount(table, grown)[table])


def sums(values: Array, table: Array) -> Array:
    """The sum over the seats of each table."""
    out = np.zeros((table[-1] + 1, values.shape[1]))
    np.add.at(out, table, values)
    return out


def play_round(asked: argparse.Namespace, seed: int, folder: Path) -> list[Path]:
    """One round of games, shared out over processes; the files they wrote."""
    files = [folder / f"{worker}.npz" for worker in range(asked.workers)]
    share = asked.games // asked.workers

    def work(worker: int) -> None:
        command = [sys.executable, __file__, asked.game, "--games", str(share)]
        command += ["--seed", str(seed + share * worker), "--collect", str(files[worker])]
        subprocess.run(command, check=True)

    with ThreadPoolExecutor(asked.workers) as pool:
        list(pool.map(work, range(asked.workers)))
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, default=1500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--collect", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.collect:
        collect(asked.game, asked.games, asked.seed, asked.collect)
        return
    sense = bottega.game(asked.game).sense
    weights = load_weights(str(sense.__file__), sense.FEATURES)
    for number in range(asked.rounds):
        with tempfile.TemporaryDirectory() as folder:
            files = play_round(asked, asked.seed + 1_000_000 * number, Path(folder))
            weights, likelihood = fit(files, weights)
        save_weights(str(sense.__file__), sense.FEATURES, weights)
        print(f"round {number + 1}: log-likelihood a table {likelihood:.4f}")
    for name, weight in zip(sense.FEATURES, weights, strict=True):
        print(f"{weight:9.4f}  {name}")


if __name__ == "__main__":
    main()
