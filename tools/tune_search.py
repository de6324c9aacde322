"""Choose the constants of the search by play: `python tools/tune_search.py splendor`.

One constant after the other is tried at several values. Each value plays the values chosen so
far, on the same deals with the seats swapped, at the same number of iterations; it is taken
over only when it wins clearly more than half.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import bottega
from bottega.bots import tree
from bottega.bots.search import SearchBot
from bottega.lab.simulate import wilson

NAMES = ("explore", "sharp", "doubt")
TRIED = {
    "explore": (0.15, 0.3, 0.6, 1.2, 2.4),
    "sharp": (0.015, 0.03, 0.06, 0.12, 0.25),
    "doubt": (-0.05, 0.0, 0.05, 0.15),
}

Knobs = tuple[float, ...]


def duel(game: str, one: Knobs, two: Knobs, iterations: int, deal: int) -> float:
    """The first's wins in the two games of a deal."""
    wins = 0.0
    for seat in (0, 1):
        match = bottega.game(game).new(2, 7919 * deal + 5, limit=3000)
        bots = {
            seat: SearchBot(deal, iterations=iterations, knobs=one),
            1 - seat: SearchBot(deal + 1, iterations=iterations, knobs=two),
        }
        while not match.over:
            actor = match.waiting[0]
            match.play(actor, bots[actor].choose(match, actor))
        wins += (seat in match.winners) / max(1, len(match.winners))
    return wins


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--deals", type=int, default=60)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    best = tree.KNOBS
    duel(asked.game, best, best, 20, 0)  # compiles once, for all processes
    with ProcessPoolExecutor(asked.workers) as pool:
        for at, name in enumerate(NAMES):
            for value in TRIED[name]:
                if value == best[at]:
                    continue
                tried = (*best[:at], value, *best[at + 1 :])
                fixed = (repeat(asked.game), repeat(tried), repeat(best), repeat(asked.iterations))
                wins = sum(pool.map(duel, *fixed, range(asked.deals), chunksize=1))
                low, high = wilson(wins, 2 * asked.deals)
                taken = low > 0.5
                best = tried if taken else best
                print(
                    f"{asked.game} {name}={value}: {wins / 2 / asked.deals:.1%} "
                    f"({low:.1%} to {high:.1%}){' taken' if taken else ''}",
                    flush=True,
                )
    print(f"{asked.game} KNOBS = {best}")


if __name__ == "__main__":
    main()
