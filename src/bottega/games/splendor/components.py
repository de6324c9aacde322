"""Splendor's kit: from its files into the record that the rules read."""

from __future__ import annotations

import numpy as np

from bottega.engine.kit import Columns, Kit, KitFile, among, whole
from bottega.engine.kit import make_kit as finish
from bottega.engine.lanes import pack
from bottega.engine.record import blank
from bottega.games.splendor.sight import KINDS
from bottega.games.splendor.state import CARDS, GEMS, KIT, NO_CARD, NO_NOBLE, NOBLES

COLOURS = KINDS[:GEMS]
DECKS = (40, 30, 20)  # cards of each level
PER_COLOUR = (8, 6, 4)  # cards of each level and colour
NEVER = pack([40] * GEMS)  # more than anybody can ever have of each gem
CARD_COLUMNS: Columns = {
    "level": whole(1, 3),
    "bonus": among(COLOURS),
    "points": whole(0, 9),
    **{colour: whole(0, 9) for colour in COLOURS},
}
NOBLE_COLUMNS: Columns = {
    "name": str,
    "points": whole(0, 9),
    **{colour: whole(0, 9) for colour in COLOURS},
}


def make_kit(file: KitFile) -> Kit:
    """Read and check the cards and the nobles."""
    cards = sorted(file.rows("cards", CARD_COLUMNS), key=lambda row: row["level"])
    nobles = file.rows("nobles", NOBLE_COLUMNS)
    check_counts(file, cards, nobles)
    record = blank(KIT)
    fill(record[0], cards, nobles)
    return finish(file, "splendor", record, nobles=[row["name"] for row in nobles])


def check_counts(file: KitFile, cards: list[dict[str, int]], nobles: list[dict[str, int]]) -> None:
    """Refuse a kit whose decks are not complete."""
    for level, (size, each) in enumerate(zip(DECKS, PER_COLOUR, strict=True), start=1):
        of_level = [row["bonus"] for row in cards if row["level"] == level]
        if len(of_level) != size:
            raise file.fail(f"level {level} has {len(of_level)} cards, it must have {size}")
        for colour, name in enumerate(COLOURS):
            if of_level.count(colour) != each:
                raise file.fail(
                    f"level {level} has {of_level.count(colour)} {name} cards, it must have {each}"
                )
    if len(nobles) != NOBLES:
        raise file.fail(f"there are {len(nobles)} nobles, there must be {NOBLES}")
    for row in nobles:
        if not row["name"] or not any(row[colour] for colour in COLOURS):
            raise file.fail("a noble has no name or needs nothing")


def fill(record: np.record, cards: list[dict[str, int]], nobles: list[dict[str, int]]) -> None:
    """Write the components into the record."""
    for number, row in enumerate(cards):
        record.cost[number] = pack(row[colour] for colour in COLOURS)
        record.bonus[number] = pack(row["bonus"] == gem for gem in range(GEMS))
        record.points[number] = row["points"]
    for number, row in enumerate(nobles):
        record.need[number] = pack(row[colour] for colour in COLOURS)
        record.favour[number] = row["points"]
    record.cost[NO_CARD] = NEVER
    record.need[NO_NOBLE] = NEVER
    first = 0
    for level, size in enumerate(DECKS):
        record.first[level] = first
        record.full[level] = (1 << size) - 1
        first += size
    assert first == CARDS
