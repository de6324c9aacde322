"""Tables of Renaissance Man set up by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import bottega
from bottega.engine.lanes import pack, unpack
from bottega.engine.match import Match
from bottega.games.renaissance_man.sight import ICONS_OF, card_view, place_name
from bottega.games.renaissance_man.state import (
    BASE,
    CARDS,
    HALF,
    NO_CARD,
    PLACES,
    RENAISSANCE_MAN,
)

ROW = ("merchant", "scholar", "renaissance-man", "baker", "knight")


def lanes(**kinds: int) -> int:
    """Lanes from names: lanes(coin=2, shield=1)."""
    return pack(kinds.get(kind, 0) for kind in ICONS_OF)


def members(pile) -> list[int]:
    """The cards of a pile."""
    return [card for card in range(CARDS) if int(pile[card // HALF]) >> (card % HALF) & 1]


class Table:
    """A match whose record a test may write. Cards are moved, never made."""

    def __init__(self, players: int = 2, seed: int = 1, kit: str = "default", **options: int):
        self.given: set[int] = set()  # cards that a test has put somewhere
        self.match: Match = bottega.game("renaissance-man").new(players, seed, kit=kit, **options)

    @property
    def s(self):
        return self.match._table[0]

    def player(self, seat: int = 0):
        return self.s.players[seat]

    # Cards

    def card(
        self, worker: str, left: str, right: str, offers: tuple[str, str] | None = None
    ) -> int:
        """A card by what is printed on it, not yet given to anybody."""
        for number in set(range(CARDS)) - self.given:
            seen = card_view(self.match.kit, number)
            assert seen is not None
            found = seen["worker"], *seen["need"], *(seen["offer"] if offers else ())
            if found == (worker, left, right, *(offers or ())):
                return number
        raise AssertionError(f"no {worker} over {left} and {right} is left")

    def pile(self, pile, card: int, there: bool) -> None:
        """Put a card into a pile or take it out."""
        word = int(pile[card // HALF]) & ~(1 << card % HALF)
        pile[card // HALF] = word | (int(there) << card % HALF)

    def fetch(self, card: int) -> None:
        """Take a card from wherever it is; another one of the deck fills the gap."""
        s = self.s
        self.given.add(card)
        for pile in (s.deck, s.discards, s.face_down):
            if card in members(pile):
                self.pile(pile, card, False)
                return
        other = members(s.deck)[-1]
        self.pile(s.deck, other, False)
        for row in [s.recruits, *(self.player(seat).hand for seat in range(self.match.players))]:
            for place in range(len(row)):
                if row[place] == card:
                    row[place] = other
                    return
        raise AssertionError(f"card {card} is nowhere")

    def hold(self, seat: int, *cards: int) -> None:
        """Give a player exactly this hand."""
        player = self.player(seat)
        for card in player.hand[: int(player.held)]:
            self.pile(self.s.deck, int(card), True)
        player.hand[:] = NO_CARD
        player.held = 0
        for card in cards:
            self.fetch(card)
            player.hand[player.held] = card
            player.held += 1

    def show(self, area: str, card: int) -> None:
        """Put a card into an area of the recruit board."""
        index = ICONS_OF.index(area)
        if self.s.recruits[index] != card:
            self.fetch(card)
            self.pile(self.s.deck, int(self.s.recruits[index]), True)
            self.s.recruits[index] = card

    # Structures

    def build(self, seat: int, place: str, card: int) -> None:
        """Put a card into a structure; RENAISSANCE_MAN lays a face-down one."""
        index = next(p for p in range(PLACES) if place_name(p) == place)
        if card == RENAISSANCE_MAN:
            drawn = members(self.s.deck)[0]
            self.pile(self.s.deck, drawn, False)
            self.pile(self.s.face_down, drawn, True)
        else:
            self.fetch(card)
        self.player(seat).pyramid[index] = card
        self.player(seat).upper |= 1 << (index - BASE)

    def pyramid(self, seat: int, *places: str) -> None:
        """Fill places with Renaissance Men, who fit everywhere."""
        for place in places:
            self.build(seat, place, RENAISSANCE_MAN)

    def worker(self, seat: int, place: str) -> str | None:
        """The worker at a place, by name."""
        seen = self.match.view(seat)["players"][seat]["structure"]
        worker = next(p["worker"] for p in seen if p["name"] == place)
        return worker and worker["worker"]

    # Tokens and knights

    def store(self, seat: int, **kinds: int) -> None:
        self.player(seat).store = lanes(**kinds)

    def taught(self, seat: int, *kinds: str) -> None:
        self.player(seat).taught = sum(1 << ICONS_OF.index(kind) for kind in kinds)

    def knights(self, seat: int, **areas: int) -> None:
        self.player(seat).knights = lanes(**areas)

    def stored(self, seat: int) -> dict[str, int]:
        counts = unpack(self.player(seat).store, 4)
        return {kind: n for kind, n in zip(ICONS_OF, counts, strict=True) if n}

    def knights_out(self, seat: int) -> dict[str, int]:
        counts = unpack(self.player(seat).knights, 4)
        return {kind: n for kind, n in zip(ICONS_OF, counts, strict=True) if n}

    # Playing

    def may(self, seat: int = 0) -> set[str]:
        return {action.key for action in self.match.legal(seat)}

    def play(self, seat: int, *keys: str) -> None:
        for key in keys:
            self.match.play(seat, key)

    def set_foundations(self, *rows: tuple[str, ...]) -> Table:
        """Everybody sets the row given, or the usual one."""
        for seat in range(self.match.players):
            row = rows[seat] if seat < len(rows) else ROW
            self.play(seat, *(f"set-{worker}" for worker in row[:-1]), "confirm")
        return self

    def others_pass(self, *but: int) -> None:
        """Everybody who owes an action, apart from some seats, passes."""
        for seat in self.match.waiting:
            if seat not in but:
                self.play(seat, "pass")

    def all_pass(self) -> None:
        """Pass until the action phases are over."""
        while self.match.view()["phase"] == "action" and not self.match.over:
            self.others_pass()

    def keep_all(self) -> None:
        """Nobody discards anything."""
        for seat in self.match.waiting:
            self.play(seat, "keep-all")
            if self.player(seat).held > 4 and seat in self.match.waiting:
                self.play(seat, "keep-rest")

    @property
    def phase(self) -> tuple[str, int]:
        view = self.match.view()
        return view["phase"], view["level"]

    def log(self, viewer: int | None = None) -> list[str]:
        return [line.text for line in self.match.log(viewer)]


@pytest.fixture
def table() -> Callable[..., Table]:
    return Table


@pytest.fixture
def started() -> Callable[..., Table]:
    """A table with Foundations set, in the first action phase."""

    def make(players: int = 2, seed: int = 1, *rows: tuple[str, ...], **options) -> Table:
        return Table(players, seed, **options).set_foundations(*rows)

    return make
