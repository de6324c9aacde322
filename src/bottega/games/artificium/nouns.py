"""Artificium's things in words: cards, resources, coins and players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bottega.engine.kit import Kit
from bottega.engine.language import listing, plural
from bottega.games.artificium.components import RESOURCES
from bottega.games.artificium.state import (
    COIN,
    FAIR,
    GOODS,
    KINDS,
    KNIGHT,
    SPACES,
    THE_WIZARD,
)

COUNTED = ("crystal", "potion", "sword")  # one says two Swords, but two Wood


def card_name(kit: Kit, card: int) -> str:
    return str(kit.words["cards"][card])


def good_name(kit: Kit, good: int) -> str:
    return str(kit.words["resources"][good])


def goods_in_words(kit: Kit, good: int, number: int) -> str:
    """So many of a resource: 2 Wood, 2 Swords."""
    if RESOURCES[good] in COUNTED:
        return plural(number, good_name(kit, good))
    return f"{number} {good_name(kit, good)}"


def some_goods(kit: Kit, counts: Sequence[int]) -> list[str]:
    """Resources and perhaps coins, those that are there: 2 Wood, 1 coin."""
    things = [goods_in_words(kit, good, int(n)) for good, n in enumerate(counts[:GOODS]) if n]
    if len(counts) > COIN and counts[COIN]:
        things.append(plural(int(counts[COIN]), "coin"))
    return things


def some_cards(kit: Kit, counts: Iterable[int]) -> str:
    """Cards by name: Farm and Sawmill (2)."""
    return listing(
        [
            card_name(kit, card) + (f" ({int(number)})" if number > 1 else "")
            for card, number in enumerate(counts)
            if number
        ]
    )


def deed(kit: Kit, card: int) -> str:
    """What a card does when it is resolved, without a target's share in it."""
    components = kit.record[0]
    takes = listing(some_goods(kit, components.takes[card]))
    gives = listing(some_goods(kit, components.gives[card]))
    points = int(components.points[card])
    trade = f"{takes} for {gives}" if takes and gives else takes or gives
    score = plural(points, "point") if points else ""
    if takes and not gives:
        return f"{takes} for {score}" if score else takes
    return listing([part for part in (trade, score) if part])


def effect_words(kit: Kit, card: int) -> str:
    """The effect of a card, as far as it needs no target."""
    components = kit.record[0]
    first, second = (int(number) for number in components.amount[card][:2])
    effect = components.effect[card]
    if effect == FAIR:
        return f"{plural(first, 'coin')} for each card resolved in front of you"
    if effect == THE_WIZARD:
        return f"draw {first} cards, then discard {second}"
    if effect == KNIGHT:
        return f"an opponent moves back {first}"
    return ""


def collected(kit: Kit, start: int, points: int) -> list[int]:
    """How much of each resource a move forward on the score track collects (A8)."""
    counts = [0] * GOODS
    for space in range(start + 1, min(start + points, SPACES - 1) + 1):
        if kit.record[0].space[space]:
            counts[int(kit.record[0].space[space]) - 1] += 1
    return counts


def total(counts: Any) -> int:
    """How many cards there are of all kinds."""
    return sum(int(counts[kind]) for kind in range(KINDS))
