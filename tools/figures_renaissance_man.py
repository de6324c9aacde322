"""The figures of Renaissance Man in docs/figures.md: `python tools/figures_renaissance_man.py`.

Games between greedy bots: how many rounds they take, how many decisions each player confirms,
who wins, and of which type the Masters are.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

import numpy as np

import bottega
from bottega.bots.crowd import bots_worker, place
from bottega.bots.greedy import new_scratch
from bottega.engine.runs import Outcomes, Plan
from bottega.games.renaissance_man.sight import WORKERS

LIMIT = 10_000


class Figures:
    """What is counted over many games."""

    def __init__(self, players: int) -> None:
        self.rounds: list[int] = []
        self.turns: list[float] = []
        self.wins = np.zeros(players)
        self.masters: Counter[str] = Counter()

    def add(self, kit: Any, table: Any, places: Any) -> None:
        """One game that has ended."""
        self.rounds.append(int(table.rounds))
        self.turns.append(int(table.turns) / len(places))
        winners = np.flatnonzero(places == 1)
        self.wins[winners] += 1 / max(1, len(winners))
        for seat in winners:
            master = table.players[seat].pyramid[-1]
            self.masters[WORKERS[kit.kind[master]]] += 1

    def show(self) -> None:
        low, middle, high = np.percentile(self.rounds, [5, 50, 95])
        games = len(self.rounds)
        shares = ", ".join(f"{share:.1%}" for share in self.wins / games)
        total = max(1, sum(self.masters.values()))
        kinds = ", ".join(f"{name} {n / total:.0%}" for name, n in self.masters.most_common())
        print(
            f"{len(self.wins)} players: {middle:.0f} rounds, nine in ten {low:.0f} to {high:.0f};"
        )
        print(f"  {np.mean(self.turns):.0f} decisions confirmed by each; seats win {shares}")
        print(f"  Masters: {kinds}")


def measure(players: int, games: int, seed: int) -> Figures:
    """Play the games and count."""
    game = bottega.game("renaissance-man")
    plan = Plan.make(game, players, games, seed, LIMIT, "default", {})
    scratch = new_scratch(game)
    play = bots_worker(plan, ["greedy"] * players, scratch)
    figures = Figures(players)
    for number in range(games):
        outcome = Outcomes.empty(1, players)
        play(number, outcome.part(0, 1))
        figures.add(plan.kit.record[0], place(scratch), outcome.places[0])
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for players in (1, 2, 3, 4):
        measure(players, asked.games, asked.seed).show()


if __name__ == "__main__":
    main()
