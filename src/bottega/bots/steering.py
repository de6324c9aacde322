"""How each game is searched: constants chosen by play (tools/tune_search.py), and budgets."""

from __future__ import annotations

from typing import NamedTuple

from bottega.bots.tree import MOST


class Steering(NamedTuple):
    """What steers the search of a game."""

    knobs: tuple[float, ...]  # of `tree`: explore, sharp, trust, laps, tried, early
    budgets: tuple[int, int, int]  # iterations of the levels 3, 4 and 5


# Laps cost time. Splendor does without: there the next decision's best chain says enough. Where
# what is begun now pays off several decisions later, a judgement made at once says little.
# Renaissance Man numbers removals last, and nine chains in ten begin with one: below the root they
# are hardly ever worth their time. There all decide together, tried against choices at random of
# those who still owe theirs: such judgements are not counted. Artificium is better off with them.
USUAL = Steering((2.0, 0.35, 5.0, 1.0, MOST, 1.0), (300, 3_000, 30_000))

STEERING = {
    "splendor": Steering((2.0, 0.35, 1.0, 0.0, MOST, 1.0), (400, 4_000, 40_000)),
    "renaissance-man": Steering((2.0, 0.35, 5.0, 4.0, 60.0, 0.0), (40, 2_000, 12_000)),
    "artificium": Steering((2.0, 0.35, 5.0, 4.0, MOST, 1.0), (60, 400, 4_000)),
}
# Alone, without removals, the game was won half as often.
ALONE = {
    "renaissance-man": Steering((2.0, 0.35, 5.0, 4.0, MOST, 1.0), (120, 700, 4_000)),
}


def steering(game: str, players: int) -> Steering:
    usual = STEERING.get(game, USUAL)
    return ALONE.get(game, usual) if players == 1 else usual
