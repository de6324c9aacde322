"""Things of One Card Wonder in words, for sentences and for the log."""

from __future__ import annotations

from typing import Any

from bottega.engine.kit import Kit
from bottega.engine.language import listing
from bottega.games.one_card_wonder.actions import BUILD, STAGE
from bottega.games.one_card_wonder.effects import NUMBERS, RESOURCES, coins
from bottega.games.one_card_wonder.sight import building_in, heap, without


def amounts(lanes: int) -> str:
    """Things in words: 2 wood and a coin."""
    counts = heap(lanes)
    words = [f"{n} {kind}" for kind, n in counts.items() if n and kind != "coin"]
    return listing(words + [coins_in_words(counts["coin"])] * (counts["coin"] > 0)) or "nothing"


def coins_in_words(n: int) -> str:
    return coins(n) if n < len(NUMBERS) else f"{n} coins"


def price_in_words(price: list[str]) -> str:
    """A cost in words, `?` included."""
    words = [f"{price.count(kind)} {kind}" for kind in RESOURCES if kind in price]
    if "coin" in price:
        words.append(coins_in_words(price.count("coin")))
    if "any" in price:
        words.append(f"{NUMBERS[price.count('any')]} of any kind")
    return listing(words) or "nothing"


def plain(text: str) -> str:
    """A sentence of the kit, to go on after it or to stand on a button."""
    return text.rstrip(".")


def stage_name(number: int) -> str:
    return f"stage {number + 1}"


def price_of(kit: Kit, player: Any, action: int) -> list[str]:
    """What a stage or a building costs the player."""
    if action < BUILD:
        stage = kit.words["wonders"][player.wonder]["stages"][action - STAGE]
        return without(stage["cost"], player.stage_savings)
    building = building_in(kit, player, action - BUILD)
    return without(building["cost"], player.building_savings) if building else []


def one_thing(kind: str) -> str:
    """One of a kind: a coin, a wood cube."""
    if kind == "coin":
        return "a coin"
    return f"{'an' if kind[:1] == 'i' else 'a'} {kind} cube"
