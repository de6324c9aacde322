"""Choose the constants of the search by play: `python tools/tune_search.py splendor`.

One constant after the other is tried at several values. Each value plays the values chosen so
far, on the same deals with the seats swapped, with the same time for each decision; it is taken
over only when it wins clearly more than half. `--classic` does so for the search without a network,
`--net FILE` for another network. The results belong into src/bottega/bots/steering.py.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat

import bottega
from bottega.bots import tree
from bottega.bots.search import SearchBot
from bottega.bots.steering import steering
from bottega.lab.simulate import wilson

Values = dict[str, tuple[int, tuple[float, ...]]]  # by name: its position among the knobs, values
Knobs = tuple[float, ...]

GUIDED: Values = {
    "heat": (3, (1.0, 1.5, 2.0, 3.0)),
    "root heat": (4, (1.0, 1.5, 2.0, 3.0)),
    "ahead": (5, (0, 4, 8, 20)),
    "explore": (0, (0.2, 0.4, 0.8, 1.6)),
    "untried": (1, (0.0, 0.1, 0.25)),
    "judged": (2, (0.0, 0.25, 0.5)),
    "width": (6, (0, 8, 16, 32)),
    "stretch": (7, (1.0, 3.0, 10.0)),
    "luck": (8, (0.0, 0.5, 1.0)),
}
CLASSIC: Values = {
    "laps": (3, (0, 2, 4, 8, 16)),
    "trust": (2, (0.3, 1.0, 3.0, 10.0)),
    "sharp": (1, (0.1, 0.2, 0.35, 0.6)),
    "tried": (4, (30, 60, 120, tree.MOST)),
    "early": (5, (0.0, 1.0)),
    "explore": (0, (0.7, 1.4, 2.0, 2.8, 4.0)),
}


@dataclass(frozen=True)
class Match:
    """What is played."""

    game: str
    seconds: float
    net: str | bool | None

    def player(self, knobs: Knobs, seed: int) -> SearchBot:
        return SearchBot(seed, seconds=self.seconds, knobs=knobs, net=self.net)


def duel(what: Match, one: Knobs, two: Knobs, deal: int) -> float:
    """The first's wins in the two games of a deal."""
    wins = 0.0
    for seat in (0, 1):
        match = bottega.game(what.game).new(2, 7919 * deal + 5, limit=3000)
        bots = {seat: what.player(one, deal), 1 - seat: what.player(two, deal + 1)}
        while not match.over:
            actor = match.waiting[0]
            match.play(actor, bots[actor].choose(match, actor))
        wins += (seat in match.winners) / max(1, len(match.winners))
    return wins


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--seconds", type=float, default=0.05, help="for a decision")
    parser.add_argument("--deals", type=int, default=60)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--only", help="one constant alone")
    parser.add_argument("--classic", action="store_true", help="the search without a network")
    parser.add_argument("--net", help="the file of a network, in the place of the game's own")
    asked = parser.parse_args()
    what = Match(asked.game, asked.seconds, False if asked.classic else asked.net)
    best = steering(asked.game, 2, not asked.classic).knobs
    duel(Match(asked.game, 0.001, what.net), best, best, 0)  # compiles once, for all processes
    with ProcessPoolExecutor(asked.workers) as pool:
        for name, (at, values) in (CLASSIC if asked.classic else GUIDED).items():
            for value in values:
                if value == best[at] or asked.only not in (None, name):
                    continue
                tried = (*best[:at], value, *best[at + 1 :])
                fixed = (repeat(what), repeat(tried), repeat(best))
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
