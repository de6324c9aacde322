"""Tables of Splendor set up by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import bottega
from bottega.engine.lanes import pack
from bottega.engine.match import Match

COLOURS = ("white", "blue", "green", "red", "black", "gold")


def counts(**kinds: int) -> int:
    """Lanes from names: counts(white=2, gold=1)."""
    return pack(kinds.get(colour, 0) for colour in COLOURS)


class Table:
    """A match whose record a test may write."""

    def __init__(self, players: int = 2, seed: int = 1, **options: str) -> None:
        self.match: Match = bottega.game("splendor").new(players, seed, **options)

    @property
    def s(self):
        return self.match._table[0]

    @property
    def kit(self):
        return self.match.kit.record[0]

    def player(self, seat: int = 0):
        return self.s.players[seat]

    def give(self, seat: int = 0, **kinds: int) -> None:
        """Tokens from the bank to a player."""
        self.player(seat).tokens += counts(**kinds)
        self.s.bank -= counts(**kinds)

    def bonuses(self, seat: int = 0, **kinds: int) -> None:
        self.player(seat).bonuses = counts(**kinds)

    def may(self, seat: int = 0) -> set[str]:
        return {action.key for action in self.match.legal(seat)}

    def play(self, *keys: str) -> None:
        """Decisions of whoever is on turn; a mere "take" is any take of gems."""
        for key in keys:
            seat = self.match.waiting[0]
            if key == "take":
                key = min(may for may in self.may(seat) if may.startswith("take"))
            self.match.play(seat, key)

    def card(self, **wanted: int | str) -> int:
        """The number of a card with this cost, bonus, level or points."""
        from bottega.games.splendor.sight import card_view

        for number in range(90):
            seen = card_view(self.kit, number)
            assert seen is not None
            facts = {**seen, **{f"cost_{gem}": n for gem, n in seen["cost"].items()}}
            if all(facts[name] == value for name, value in wanted.items()):
                return number
        raise AssertionError(f"no card has {wanted}")

    def show(self, place: int, card: int) -> None:
        """Put a card on the market; what lay there goes back to where the card was."""
        s = self.s
        old = int(s.market[place])
        for other in range(12):
            if s.market[other] == card:
                s.market[other] = old
                s.market[place] = card
                return
        level = place // 4
        first = int(self.kit.first[level])
        s.decks[level] = int(s.decks[level]) ^ (1 << (card - first)) ^ (1 << (old - first))
        s.market[place] = card


@pytest.fixture
def table() -> Callable[..., Table]:
    return Table
