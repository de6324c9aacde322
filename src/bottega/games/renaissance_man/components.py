"""Renaissance Man's kit: from its files into the record that the rules read."""

from __future__ import annotations

import numpy as np

from bottega.engine.kit import Columns, Kit, KitFile, among, whole
from bottega.engine.kit import make_kit as finish
from bottega.engine.record import blank
from bottega.games.renaissance_man.sight import ICONS_OF, face
from bottega.games.renaissance_man.state import (
    CARDS,
    FOUNDATION,
    KINDS,
    KIT,
    NO_CARD,
    NO_KIND,
    RENAISSANCE_MAN,
)

CORNERS = ("need_left", "need_right", "offer_left", "offer_right")
COLUMNS: Columns = {
    "type": among(ICONS_OF),
    **{corner: among(ICONS_OF) for corner in CORNERS},
    "copies": whole(1, CARDS),
}
ANY = (1 << KINDS) - 1


def make_kit(file: KitFile) -> Kit:
    """Read and check the cards."""
    cards = [row for row in file.rows("cards", COLUMNS) for _ in range(row["copies"])]
    check_cards(file, cards)
    record = blank(KIT)
    fill(record[0], cards)
    faces = [face(record[0], card) for card in range(NO_CARD + 1)]
    return finish(file, "renaissance-man", record, faces=faces)


def check_cards(file: KitFile, cards: list[dict[str, int]]) -> None:
    """Refuse a deck that is not complete, or with which nobody could learn everything."""
    if len(cards) != CARDS:
        raise file.fail(f"there are {len(cards)} cards, there must be {CARDS}")
    for kind, name in enumerate(ICONS_OF):
        if not any(row["type"] == kind for row in cards):
            raise file.fail(f"no card is of the type {name}")


def fill(record: np.record, cards: list[dict[str, int]]) -> None:
    """Write the cards into the record, and what everybody's Foundation is made of."""
    for number, row in enumerate(cards):
        record.kind[number] = row["type"]
        for corner in CORNERS:
            record[corner][number] = 1 << row[corner]
    for kind in range(KINDS):
        record.kind[FOUNDATION + kind] = kind
        record.offer_left[FOUNDATION + kind] = record.offer_right[FOUNDATION + kind] = 1 << kind
    record.kind[RENAISSANCE_MAN] = record.kind[NO_CARD] = NO_KIND
    for corner in CORNERS:
        record[corner][RENAISSANCE_MAN] = ANY
    for left in range(ANY + 1):
        for right in range(ANY + 1):
            record.fits[16 * left + right] = sum(
                bool(left >> row["need_left"] & 1 and right >> row["need_right"] & 1)
                for row in cards
            )
