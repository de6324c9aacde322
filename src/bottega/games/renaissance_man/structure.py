"""The pyramid of workers: which places rest on which, what fits where, what is uncovered.

Compiled, like the rules, of which this is a part.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

from itertools import combinations

import numpy as np

from bottega.engine.bits import bit, lowest
from bottega.engine.rule import rule
from bottega.games.renaissance_man.state import BASE, KINDS, LEVELS, PLACES, UPPER

EVERY_KIND = (1 << KINDS) - 1

# The first place of each level, and the end.
FIRST = np.array([0, 5, 9, 12, 14, PLACES])
LEVEL_SETS = np.array([(1 << FIRST[n + 1]) - (1 << FIRST[n]) for n in range(LEVELS)]) >> BASE
MASTER = 1 << (UPPER - 1)


def _left(place: int) -> int:
    """The lower left support of an upper place, as a place; the right one is beside it (R2)."""
    level = max(n for n in range(LEVELS) if FIRST[n] <= place + BASE)
    return int(FIRST[level - 1] + place + BASE - FIRST[level])


LEFT = np.array([_left(place) for place in range(UPPER)])


def _upon(place: int) -> int:
    """The set of upper places that rest on an upper place, directly or not, and itself."""
    upon = 1 << place
    for higher in range(place + 1, UPPER):
        supports = LEFT[higher] - BASE, LEFT[higher] - BASE + 1
        if any(support >= 0 and upon >> support & 1 for support in supports):
            upon |= 1 << higher
    return upon


UPON = [_upon(place) for place in range(UPPER)]

# Every way to remove workers (R16), named by the lowest ones; what rests on them goes with them.
LOWEST = [
    lowest_ones
    for size in range(1, UPPER)
    for lowest_ones in combinations(range(UPPER), size)
    if not any(UPON[p] >> q & 1 for p, q in combinations(lowest_ones, 2))
]
REMOVED = np.array(
    [sum({1 << q for p in c for q in range(UPPER) if UPON[p] >> q & 1}) for c in LOWEST]
)

# By the set of filled upper places: what can be removed, what is uncovered (R3), what is free (R2).
REMOVABLE = np.array(
    [
        sum(1 << i for i, c in enumerate(LOWEST) if all(filled >> p & 1 for p in c))
        for filled in range(1 << UPPER)
    ]
)


def _there(filled: int, place: int) -> bool:
    return place < BASE or bool(filled >> (place - BASE) & 1)


UNCOVERED = np.array(
    [
        sum(
            1 << place
            for place in range(PLACES)
            if _there(filled, place)
            and not any(filled >> p & 1 and LEFT[p] in (place - 1, place) for p in range(UPPER))
        )
        for filled in range(1 << UPPER)
    ]
)
FREE = np.array(
    [
        sum(
            1 << p
            for p in range(UPPER)
            if not filled >> p & 1 and _there(filled, LEFT[p]) and _there(filled, LEFT[p] + 1)
        )
        for filled in range(1 << UPPER)
    ]
)


@rule
def remaining(player):
    """The upper places filled after the removals decided so far."""
    return np.int64(player.upper) & ~np.int64(player.removed)


@rule
def fitting(kit, player, card):
    """The free places whose supports offer what the card needs (R1, R2)."""
    free = FREE[remaining(player)]
    places = 0
    while free:
        place = lowest(free)
        places |= fits_over(kit, player, card, place) << place
        free &= free - 1
    return places


@rule
def fits_over(kit, player, card, place):
    """Whether a card's needs are what the supports of an upper place offer (R1)."""
    left = player.pyramid[LEFT[place]]
    right = player.pyramid[LEFT[place] + 1]
    return np.int64(kit.need_left[card] & kit.offer_right[left] != 0) & np.int64(
        kit.need_right[card] & kit.offer_left[right] != 0
    )


@rule
def provided(kit, player, level):
    """The kinds of action that the uncovered workers of a level give (R3)."""
    uncovered = UNCOVERED[remaining(player)]
    kinds = 0
    for place in range(FIRST[level - 1], FIRST[level]):
        if uncovered >> place & 1:
            kinds |= bit(kit.kind[player.pyramid[place]])
    return kinds & EVERY_KIND


@rule
def could_join(kit, player, card):
    """Whether a card fits some place of the structure, after removals if need be (R14)."""
    fits = 0
    for place in range(UPPER):
        fits |= fits_over(kit, player, card, place)
    return fits != 0


@rule
def build(player, place, card):
    """A worker joins the structure."""
    player.pyramid[BASE + np.int64(place)] = card
    player.upper |= bit(place)
