"""Artificium's things in words: cards, resources, coins and players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bottega.engine.kit import Kit
from bottega.engine.match import listing
from bottega.games.artificium.state import (
    COIN,
    FAIR,
    GOODS,
    KINDS,
    KNIGHT,
    SPACES,
    THE_WIZARD,
)

ORDINALS = ("first", "second", "third", "fourth", "fifth")


def plural(number: int, thing: str) -> str:
    """A counted thing: 1 coin, 2 coins."""
    return f"{number} {thing}{'s' * (number != 1)}"


def card_name(kit: Kit, card: int) -> str:
    return str(kit.words["cards"][card])


def good_name(kit: Kit, good: int) -> str:
    return str(kit.words["resources"][good])


def some_goods(kit: Kit, counts: Sequence[int]) -> list[str]:
    """Resources and perhaps coins, those that are there: 2 Wood, 1 coin."""
    things = [f"{int(n)} {good_name(kit, good)}" for good, n in enumerate(counts[:GOODS]) if n]
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


def neighbour(seats: int, seat: int, other: int) -> str:
    """An opponent as seen from a seat; the next seat clockwise sits on the left."""
    offset = (other - seat) % seats
    if seats == 2:
        return "your opponent"
    if offset == seats - 1:
        return "the player on your right"
    if offset == 1:
        return "the player on your left"
    return f"the {ORDINALS[offset - 1]} player on your left"


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
