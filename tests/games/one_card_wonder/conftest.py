"""Tables of One Card Wonder set up by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bottega.engine.lanes import pack, unpack
from bottega.engine.match import Match
from bottega.games.one_card_wonder import GAME
from bottega.games.one_card_wonder.effects import SYMBOLS, THINGS
from tests.games.one_card_wonder import invariants

MATS = [mat["name"] for mat in GAME.kit().words["mats"]]
WONDERS = [wonder["name"] for wonder in GAME.kit().words["wonders"]]
LEADERS = [leader["name"] for leader in GAME.kit().words["leaders"]]


def lanes(**things: int) -> int:
    """Lanes from names: lanes(wood=2, coin=1)."""
    assert set(things) <= set(SYMBOLS)
    return pack(things.get(symbol, 0) for symbol in SYMBOLS)


def counted(symbols: list[str]) -> dict[str, int]:
    """A list of symbols as counts; what is for anything becomes wood."""
    things = ["wood" if symbol == "any" else symbol for symbol in symbols]
    return {thing: things.count(thing) for thing in things}


class Table:
    """A match whose record a test may write. Wonders and mats are dealt at random, so that it
    begins with the first turn, unless the options say otherwise."""

    def __init__(self, players: int = 2, seed: int = 1, **options: str) -> None:
        options.setdefault("draft", "random")
        self.match: Match = GAME.new(players, seed, **options)

    @property
    def s(self) -> Any:
        return self.match._table[0]

    @property
    def middle(self) -> Any:
        return self.s.now[0]

    @property
    def kit(self) -> Any:
        return self.match.kit.record[0]

    def player(self, seat: int = 0) -> Any:
        return self.s.players[seat]

    # Setting up

    def hold(self, seat: int = 0, **things: int) -> None:
        """What lies on a mat, exchanged with the bag, the supply and the coin supply."""
        player, middle = self.player(seat), self.middle
        middle.bag += int(player.stock) & lanes(**dict.fromkeys(THINGS[:5], 127))
        middle.coins += int(player.stock) >> 40
        player.stock = lanes(**things)
        for colour, thing in enumerate(THINGS[:5]):
            for _ in range(things.get(thing, 0)):
                source = "bag" if int(middle.bag) >> (8 * colour) & 127 else "supply"
                middle[source] -= 1 << (8 * colour)
        middle.coins -= things.get("coin", 0)
        invariants.check_things(self.match, self.s)

    def supply(self, **things: int) -> None:
        """What lies on the supply, exchanged with the bag."""
        middle = self.middle
        middle.bag += int(middle.supply)
        middle.supply = lanes(**things)
        middle.bag -= lanes(**things)
        invariants.check_things(self.match, self.s)

    def empty_bag(self, **left: int) -> None:
        """Only these cubes stay in the bag; the others lie on the supply."""
        middle = self.middle
        middle.supply += int(middle.bag) - lanes(**left)
        middle.bag = lanes(**left)
        invariants.check_things(self.match, self.s)

    def wonder(self, name: str, seat: int = 0) -> None:
        """Give a seat another wonder, nothing of it built."""
        player = self.player(seat)
        taken = [int(self.player(other).wonder) for other in range(self.match.players)]
        if WONDERS.index(name) in taken:
            other = self.player(taken.index(WONDERS.index(name)))
            other.wonder, player.wonder = player.wonder, other.wonder
            self.count_need(other)
        player.wonder = WONDERS.index(name)
        player.stages = 0
        self.count_need(player)

    def count_need(self, player: Any) -> None:
        costs = self.kit.stage_cost[player.wonder, : int(self.kit.stages[player.wonder])]
        player.need = sum(
            int(cost) for stage, cost in enumerate(costs) if not player.stages >> stage & 1
        )

    def built(self, *stages: int, seat: int = 0) -> None:
        """These stages of the wonder stand, counted from 1."""
        player = self.player(seat)
        player.stages = sum(1 << (stage - 1) for stage in stages)
        self.count_need(player)

    def mat(self, name: str, seat: int = 0) -> None:
        """Give a seat another mat, nothing of it built."""
        player = self.player(seat)
        for other in range(self.match.players):
            if self.player(other).mat == MATS.index(name):
                self.player(other).mat = player.mat
        player.mat = MATS.index(name)

    def leader(self, name: str, seat: int = 0) -> None:
        """Give a seat another leader."""
        for other in range(self.match.players):
            if self.player(other).leader == LEADERS.index(name):
                self.player(other).leader = self.player(seat).leader
        self.player(seat).leader = LEADERS.index(name)

    def owns(self, building: str, seat: int = 0) -> int:
        """Let a seat build this building with exactly its price, and come on turn again; the
        building's slot, counted from 1."""
        slot = self.find(building, seat)
        held = self.stock(seat)
        self.until(seat)
        self.hold(seat, **counted(self.price(slot, seat)))
        self.play(f"build-{slot}", "done")
        self.until(seat)
        self.hold(seat, **held)
        return slot

    def price(self, slot: int, seat: int = 0) -> list[str]:
        """What the building in a slot costs the seat."""
        buildings = self.match.view(seat)["players"][seat]["buildings"]
        return next(list(each["price"]) for each in buildings if each["slot"] == slot - 1)

    def find(self, building: str, seat: int = 0) -> int:
        """The slot of a building, counted from 1; the seat gets its mat or wonder if need be."""
        for kind, take in (("mats", self.mat), ("wonders", self.wonder)):
            for owner in self.match.kit.words[kind]:
                names = [each["name"] for each in owner["buildings"]]
                if building in names:
                    number = int(self.player(seat)["mat" if kind == "mats" else "wonder"])
                    if self.match.kit.words[kind][number]["name"] != owner["name"]:
                        take(owner["name"], seat)
                    return names.index(building) + 1 + 4 * (kind == "wonders")
        raise AssertionError(f"no building is called {building}")

    def until(self, seat: int) -> None:
        """The others produce, and lose it again, until it is this seat's turn."""
        while self.s.turn != seat:
            other = int(self.s.turn)
            held = self.stock(other)
            self.play("produce" if self.in_bag() else min(self.may(other)))
            while self.s.turn == other:
                self.play(min(self.may(self.match.waiting[0])))
            self.hold(other, **held)

    # Looking

    def stock(self, seat: int = 0) -> dict[str, int]:
        """What lies on a mat, without zeros."""
        return {k: n for k, n in zip(THINGS, unpack(self.player(seat).stock, 6), strict=True) if n}

    def on_supply(self) -> dict[str, int]:
        return {k: n for k, n in zip(THINGS, unpack(self.middle.supply, 6), strict=True) if n}

    def in_bag(self) -> dict[str, int]:
        return {k: n for k, n in zip(THINGS, unpack(self.middle.bag, 6), strict=True) if n}

    def may(self, seat: int = 0) -> set[str]:
        return {action.key for action in self.match.legal(seat)}

    @property
    def phase(self) -> str:
        return str(self.match.view(int(self.middle.actor))["phase"])

    # Playing

    def play(self, *keys: str) -> None:
        """Decisions of whoever owes one."""
        for key in keys:
            self.by(self.match.waiting[0], key)

    def by(self, seat: int, *keys: str) -> None:
        """Decisions of a seat."""
        for key in keys:
            self.match.play(seat, key)
            invariants.check(self.match)


@pytest.fixture
def table() -> Callable[..., Table]:
    return Table
