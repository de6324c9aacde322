"""Artificium's kit: from its files into the record that the rules read."""

from __future__ import annotations

from typing import Any

import numpy as np

from bottega.engine.kit import Columns, Kit, KitFile, among, whole
from bottega.engine.kit import make_kit as finish
from bottega.engine.record import blank
from bottega.games.artificium.state import COIN, GOODS, KINDS, KIT, LEVELS, SPACES

# The slots of a kit: they give actions their stable keys. What a card or a resource is called
# and does is the kit's to say; the last two slots are free for a designer's own cards.
CARDS = (
    "exploration",
    "theft",
    "reconstruction",
    "fair",
    "sawmill",
    "farm",
    "charcoal",
    "hunter",
    "bakery",
    "brewery",
    "mine",
    "foundry",
    "laboratory",
    "swordsmith",
    "tower",
    "castle",
    "extra1",
    "extra2",
)
RESOURCES = ("wood", "wheat", "coal", "food", "beer", "crystal", "metal", "potion", "sword")
SORTS = ("building", "action")
EFFECTS = ("", "exploration", "theft", "reconstruction", "fair", "wizard", "knight")
NUMBERS = (0, 0, LEVELS, 0, 1, 2, 1)  # how many numbers follow each effect; theft: at most
THEFT = EFFECTS.index("theft")


def bundle(text: str) -> list[int]:
    """A reader for what a card takes or gives, such as `1 beer + 1 coin`."""
    counts = [0] * (GOODS + 1)
    for part in text.split("+") if text else []:
        number, _, what = part.strip().partition(" ")
        thing = COIN if what in ("coin", "coins") else among(RESOURCES)(what)
        counts[thing] += whole(1, 9)(number)
    return counts


def effect(text: str) -> tuple[int, list[int]]:
    """A reader for an effect and its numbers, such as `wizard 5 3`."""
    word, *rest = text.split() or [""]
    kind = among(EFFECTS)(word)
    numbers = [whole(0, 20)(number) for number in rest]
    wanted = NUMBERS[kind]
    if len(numbers) != wanted and not (kind == THEFT and 1 <= len(numbers) <= wanted):
        raise ValueError(f"'{word}' needs {wanted} number{'s' * (wanted != 1)} after it")
    return kind, numbers


CARD_COLUMNS: Columns = {
    "card": among(CARDS),
    "name": str,
    "sort": among(SORTS),
    "copies": whole(1, 15),
    "points": whole(0, 20),
    "takes": bundle,
    "gives": bundle,
    "effect": effect,
}
RESOURCE_COLUMNS: Columns = {
    "resource": among(RESOURCES),
    "name": str,
    "level": whole(1, LEVELS),
    "buy": whole(1, 99),
    "sell": whole(1, 99),
}
TRACK_COLUMNS: Columns = {"space": whole(1, SPACES - 1), "resource": among(RESOURCES)}


def make_kit(file: KitFile) -> Kit:
    """Read and check the cards, the resources with their prices, and the score track."""
    cards = sorted(file.rows("cards", CARD_COLUMNS), key=lambda row: row["card"])
    resources = sorted(file.rows("resources", RESOURCE_COLUMNS), key=lambda row: row["resource"])
    track = sorted(file.rows("track", TRACK_COLUMNS), key=lambda row: row["space"])
    check_cards(file, cards)
    check_resources(file, resources)
    check_once(file, [str(row["space"]) for row in track], "space of the score track")
    record = blank(KIT)
    fill(record[0], cards, resources, track)
    return finish(
        file,
        "artificium",
        record,
        cards=names(cards, "card", KINDS),
        resources=names(resources, "resource", GOODS),
        faces={row["card"]: face(row) for row in cards},
        goods=[{**row, "resource": RESOURCES[row["resource"]]} for row in resources],
        track=[{**row, "resource": RESOURCES[row["resource"]]} for row in track],
        reconstructed=str(file.data.get("reconstructed", "")),
    )


def face(row: dict[str, Any]) -> dict[str, Any]:
    """What is printed on a card, as views show it."""
    kind, numbers = row["effect"]
    return {
        "card": CARDS[row["card"]],
        "name": row["name"],
        "sort": SORTS[row["sort"]],
        "points": row["points"],
        "takes": in_words(row["takes"]),
        "gives": in_words(row["gives"]),
        "effect": EFFECTS[kind],
        "amount": numbers + [0] * (LEVELS - len(numbers)),
    }


def in_words(counts: list[int]) -> dict[str, int]:
    """Resources and coins by their slot, without those that are not there."""
    things = zip((*RESOURCES, "coin"), counts, strict=True)
    return {thing: number for thing, number in things if number}


def names(rows: list[dict[str, Any]], slot: str, size: int) -> list[str]:
    """The names by slot; empty where the kit has nothing."""
    named = {row[slot]: row["name"] for row in rows}
    return [named.get(number, "") for number in range(size)]


def check_once(file: KitFile, values: list[str], what: str) -> None:
    """Refuse what is listed twice."""
    for value in values:
        if values.count(value) > 1:
            raise file.fail(f"the {what} '{value}' is listed twice")


def check_cards(file: KitFile, cards: list[dict[str, Any]]) -> None:
    """Refuse a deck that is not as large as the kit says, and cards that are not clear."""
    check_once(file, [CARDS[row["card"]] for row in cards], "card")
    check_once(file, [row["name"] for row in cards], "card named")
    deck = file.data.get("deck")
    if not isinstance(deck, int) or isinstance(deck, bool) or not 60 <= deck <= 200:
        raise file.fail("'deck' must say how many cards there are, 60 to 200")
    copies = sum(row["copies"] for row in cards)
    if copies != deck:
        raise file.fail(f"there are {copies} cards, 'deck' says {deck}")
    for row in cards:
        if not row["name"]:
            raise file.fail(f"the card '{CARDS[row['card']]}' has no name")
        if not (row["points"] or any(row["gives"]) or row["effect"][0]):
            raise file.fail(f"{row['name']} neither scores nor gives nor does anything")


def check_resources(file: KitFile, resources: list[dict[str, Any]]) -> None:
    """Refuse missing resources and prices by which one could trade for ever."""
    check_once(file, [RESOURCES[row["resource"]] for row in resources], "resource")
    check_once(file, [row["name"] for row in resources], "resource named")
    listed = {row["resource"] for row in resources}
    for number, resource in enumerate(RESOURCES):
        if number not in listed:
            raise file.fail(f"the resource '{resource}' is missing")
    for row in resources:
        if not row["name"]:
            raise file.fail(f"the resource '{RESOURCES[row['resource']]}' has no name")
        if row["buy"] <= row["sell"]:
            raise file.fail(
                f"{row['name']} costs {row['buy']} and sells for {row['sell']}; "
                "the price to buy must be above the price to sell"
            )


def fill(
    record: np.record,
    cards: list[dict[str, Any]],
    resources: list[dict[str, Any]],
    track: list[dict[str, Any]],
) -> None:
    """Write the components into the record."""
    for row in cards:
        card = row["card"]
        kind, numbers = row["effect"]
        record.copies[card] = row["copies"]
        record.points[card] = row["points"]
        record.takes[card] = row["takes"]
        record.gives[card] = row["gives"]
        record.action[card] = row["sort"]
        record.effect[card] = kind
        record.amount[card, : len(numbers)] = numbers
    for row in resources:
        resource = row["resource"]
        record.level[resource] = row["level"] - 1
        record.buy[resource] = row["buy"]
        record.sell[resource] = row["sell"]
    for row in track:
        record.space[row["space"]] = row["resource"] + 1

    def needs(card: int) -> int:
        """How far down the chain a card stands: the highest level that it takes."""
        return max(
            (int(record.level[r]) + 1 for r in range(GOODS) if record.takes[card, r]), default=0
        )

    record.order[:] = sorted(range(KINDS), key=needs)
