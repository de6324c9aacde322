"""Tables of Artificium set up by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bottega.engine.match import Match
from bottega.games.artificium import GAME
from bottega.games.artificium.components import CARDS, RESOURCES
from bottega.games.artificium.state import KINDS, NO_CARD, PLACES


class Table:
    """A match whose record a test may write. All cards stay conserved."""

    def __init__(self, players: int = 2, seed: int = 1) -> None:
        self.match: Match = GAME.new(players, seed)

    @property
    def s(self):
        return self.match._table[0]

    @property
    def kit(self):
        return self.match.kit.record[0]

    def player(self, seat: int = 0):
        return self.s.players[seat]

    # Setting things up

    def hand(self, seat: int, *cards: str) -> None:
        """Give a seat exactly these cards, of the deck and of its old hand."""
        player = self.player(seat)
        self.s.deck += player.hand
        player.hand[:] = 0
        for card in cards:
            self._from_deck(card)
            player.hand[CARDS.index(card)] += 1
        player.held = len(cards)
        player.known[:] = 0
        self.s.left = self.s.deck.sum()

    def market(self, *cards: str) -> None:
        """Put exactly these cards on the market."""
        for place in range(PLACES):
            if self.s.market[place] != NO_CARD:
                self.s.deck[self.s.market[place]] += 1
            self.s.market[place] = NO_CARD
        for place, card in enumerate(cards):
            self._from_deck(card)
            self.s.market[place] = CARDS.index(card)
        self.s.left = self.s.deck.sum()

    def front(self, seat: int, *cards: str) -> None:
        """Let these cards lie resolved in front of a seat."""
        for card in cards:
            self._from_deck(card)
            self.player(seat).front[CARDS.index(card)] += 1
        self.s.left = self.s.deck.sum()

    def empty_deck(self) -> None:
        """All cards of the deck are discards now."""
        self.s.discards += self.s.deck
        self.s.deck[:] = 0
        self.s.left = 0

    def no_discards(self) -> None:
        """Neither deck nor discards: what was there lies resolved before the last seat."""
        self.empty_deck()
        self.player(self.match.players - 1).front += self.s.discards
        self.s.discards[:] = 0

    def hoard(self, seat: int, left: int) -> None:
        """All cards of the deck and the discards into a hand, but for a few of the deck."""
        self.empty_deck()
        player = self.player(seat)
        for kind in range(KINDS):
            stays = min(left, int(self.s.discards[kind]))
            left -= stays
            self.s.deck[kind] = stays
            player.hand[kind] += self.s.discards[kind] - stays
            self.s.discards[kind] = 0
        player.held = player.hand.sum()
        self.s.left = self.s.deck.sum()

    def _from_deck(self, card: str) -> None:
        assert self.s.deck[CARDS.index(card)], f"the deck has no {card}"
        self.s.deck[CARDS.index(card)] -= 1

    def goods(self, seat: int, **kinds: int) -> None:
        """A seat's whole board."""
        counts = [kinds.get(resource, 0) for resource in RESOURCES]
        self.player(seat).goods[:] = counts
        self.player(seat).board[:] = counts

    def coins(self, seat: int, number: int) -> None:
        self.player(seat).coins = number
        self.player(seat).purse = number

    def points(self, *points: int) -> None:
        for seat, number in enumerate(points):
            self.player(seat).points = number

    # Playing

    def play(self, seat: int, *keys: str) -> None:
        for key in keys:
            self.match.play(seat, key)

    def close_market(self) -> None:
        while self.match.view()["phase"] == "market":
            self.play(self.match.waiting[0], "pass")

    def choose(self, *cards: str) -> None:
        """Each seat that is still in chooses a card, or passes."""
        for seat, card in zip(self.match.waiting, cards, strict=True):
            self.play(seat, "pass" if card == "pass" else f"play-{card}")

    def end_turn(self) -> None:
        """Everybody passes and keeps everything."""
        self.close_market()
        for _ in range(200):
            if self.match.over or self.match.view()["phase"] == "market":
                return
            legal = self.may(self.match.waiting[0])
            key = next(k for k in ("pass", "take-back", "done", min(legal)) if k in legal)
            self.play(self.match.waiting[0], key)

    # Looking

    def may(self, seat: int = 0) -> set[str]:
        return {action.key for action in self.match.legal(seat)}

    def has(self, seat: int = 0) -> dict[str, int]:
        """The resources of a seat that are there."""
        goods = self.player(seat).goods
        return {name: int(n) for name, n in zip(RESOURCES, goods, strict=True) if n}

    def cards(self, counts) -> dict[str, int]:
        return {CARDS[kind]: int(n) for kind, n in enumerate(counts) if n}

    def held(self, seat: int = 0) -> dict[str, int]:
        return self.cards(self.player(seat).hand)

    def lying(self, seat: int = 0) -> dict[str, int]:
        return self.cards(self.player(seat).front)

    def shown(self) -> list[str | None]:
        """The market."""
        return [None if card == NO_CARD else CARDS[card] for card in self.s.market]

    def told(self, seat: int | None = None) -> list[str]:
        return [line.text for line in self.match.log(seat)]


@pytest.fixture
def table() -> Callable[..., Table]:
    return Table


@pytest.fixture
def ready() -> Callable[..., Table]:
    """A table at the first step of play: hands by seat, everybody has passed at the market."""

    def make(*hands: list[str], seed: int = 1) -> Table:
        made = Table(len(hands), seed)
        made.close_market()
        for seat, cards in enumerate(hands):
            made.hand(seat, *cards)
        assert np.all(made.s.deck <= made.kit.copies)
        return made

    return make
