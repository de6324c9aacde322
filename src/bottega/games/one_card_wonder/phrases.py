"""Things of One Card Wonder in words, for sentences and for the log."""

from __future__ import annotations

from typing import Any

from bottega.engine.kit import Kit
from bottega.engine.match import listing
from bottega.games.one_card_wonder.actions import BUILD, STAGE
from bottega.games.one_card_wonder.effects import NUMBERS, RESOURCES, SYMBOLS, coins
from bottega.games.one_card_wonder.sight import heap, less
from bottega.games.one_card_wonder.state import (
    MAT_BUILDINGS,
    MATS,
    NO_MAT,
    NO_WONDER,
    WONDER_BUILDINGS,
)


def amounts(lanes: int) -> str:
    """Things in words: 2 wood and a coin."""
    counts = heap(lanes)
    words = [f"{n} {kind}" for kind, n in counts.items() if n and kind != "coin"]
    return listing(words + [coins_in_words(counts["coin"])] * (counts["coin"] > 0)) or "nothing"


def coins_in_words(n: int) -> str:
    return coins(n) if n < len(NUMBERS) else f"{n} coins"


def price_in_words(lanes: int) -> str:
    """A cost in words, `?` included."""
    counts = heap(lanes, SYMBOLS)
    words = [f"{n} {kind}" for kind, n in counts.items() if n and kind in RESOURCES]
    if counts["coin"]:
        words.append(coins_in_words(counts["coin"]))
    if counts["any"]:
        words.append(f"{NUMBERS[counts['any']]} of any kind")
    return listing(words) or "nothing"


def stage_name(number: int) -> str:
    return f"stage {number + 1}"


def building_words(kit: Kit, player: Any, slot: int) -> dict[str, str] | None:
    """Name and text of the building in a slot; None for an empty one."""
    if slot < MAT_BUILDINGS:
        if player.mat == NO_MAT:
            return None
        found: dict[str, str] = kit.words["mats"][player.mat]["buildings"][slot]
        return found
    if player.wonder == NO_WONDER:
        return None
    buildings = kit.words["wonders"][player.wonder]["buildings"]
    place = slot - MAT_BUILDINGS
    return buildings[place] if place < len(buildings) else None


def price_of(kit: Kit, player: Any, action: int) -> int:
    """What a stage or a building costs the player, in lanes."""
    record = kit.record[0]
    if action < BUILD:
        return less(record.stage_cost[player.wonder, action - STAGE], player.stage_savings)
    slot = action - BUILD
    row = (
        MAT_BUILDINGS * int(player.mat) + slot
        if slot < MAT_BUILDINGS
        else MATS * MAT_BUILDINGS + WONDER_BUILDINGS * int(player.wonder) + slot - MAT_BUILDINGS
    )
    return less(record.cost[row], player.building_savings)


def seat_name(seat: int) -> str:
    """A seat, where names are not known."""
    return f"Player {seat + 1}"


def one_thing(kind: str) -> str:
    """One of a kind: a coin, a wood cube."""
    if kind == "coin":
        return "a coin"
    return f"{'an' if kind[:1] == 'i' else 'a'} {kind} cube"
