"""Choose the constants of the search by play: `python tools/tune_search.py splendor`.

One constant after the other is tried at several values. Each value plays the values chosen so
far, on the same deals with the seats swapped, with about the same work; it is taken over only
when it wins clearly more than half. The results belong into src/bottega/bots/steering.py.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import bottega
from bottega.bots import tree
from bottega.bots.search import SearchBot
from bottega.bots.steering import steering
from bottega.lab.simulate import wilson

NAMES = ("explore", "sharp", "trust", "laps", "tried", "early")
VALUES = {
    "laps": (0, 2, 4, 8, 16),
    "trust": (0.3, 1.0, 3.0, 10.0),
    "sharp": (0.1, 0.2, 0.35, 0.6),
    "tried": (30, 60, 120, tree.MOST),
    "early": (0.0, 1.0),
    "explore": (0.7, 1.4, 2.0, 2.8, 4.0),
}

Knobs = tuple[float, ...]


def player(knobs: Knobs, work: int, seed: int) -> SearchBot:
    """A search that looks through so many decisions' chains."""
    return SearchBot(seed, iterations=max(1, round(work / (1 + knobs[tree.LAPS]))), knobs=knobs)


def duel(game: str, one: Knobs, two: Knobs, work: int, deal: int) -> float:
    """The first's wins in the two games of a deal."""
    wins = 0.0
    for seat in (0, 1):
        match = bottega.game(game).new(2, 7919 * deal + 5, limit=3000)
        bots = {
            seat: player(one, work, deal),
            1 - seat: player(two, work, deal + 1),
        }
        while not match.over:
            actor = match.waiting[0]
            match.play(actor, bots[actor].choose(match, actor))
        wins += (seat in match.winners) / max(1, len(match.winners))
    return wins


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--work", type=int, default=1000, help="chains looked at")
    parser.add_argument("--deals", type=int, default=60)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    best = steering(asked.game, 2).knobs
    duel(asked.game, best, best, 20, 0)  # compiles once, for all processes
    with ProcessPoolExecutor(asked.workers) as pool:
        for name, values in VALUES.items():
            at = NAMES.index(name)
            for value in values:
                if value == best[at]:
                    continue
                tried = (*best[:at], value, *best[at + 1 :])
                fixed = (repeat(asked.game), repeat(tried), repeat(best), repeat(asked.work))
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
