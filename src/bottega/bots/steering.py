"""How each game is searched: constants chosen by play (tools/tune_search.py), and budgets."""

from __future__ import annotations

from typing import NamedTuple


class Steering(NamedTuple):
    """What steers the search of a game."""

    knobs: tuple[float, ...]  # of `tree`: explore, sharp, trust, laps, early
    budgets: tuple[int, int, int]  # iterations of the levels 3, 4 and 5


# Laps cost time. Splendor does without: there the next decision's best chain says enough. Where
# what is begun now pays off several decisions later, a judgement made at once says little.
# In Renaissance Man all decide together, each chain tried against choices at random of those who
# still owe theirs: such judgements are not counted. Artificium is better off with them.
USUAL = Steering((2.0, 0.35, 5.0, 1.0, 1.0), (300, 3_000, 30_000))

STEERING = {
    "splendor": Steering((2.0, 0.35, 1.0, 0.0, 1.0), (400, 4_000, 40_000)),
    "renaissance-man": Steering((2.0, 0.35, 5.0, 4.0, 0.0), (40, 700, 4_000)),
    "artificium": Steering((2.0, 0.35, 5.0, 4.0, 1.0), (60, 400, 4_000)),
}


def steering(game: str) -> Steering:
    return STEERING.get(game, USUAL)
