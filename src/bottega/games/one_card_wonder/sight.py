"""What a seat of One Card Wonder may know (W3, W13, W17).

Hidden are the two mats each player was dealt and the sealed choice between them, leaders not yet
revealed, and the next draw. What a player has begun but not confirmed (a payment, a build, a
trade being drafted) is that player's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from bottega.engine.bits import bit
from bottega.engine.chance import below, pick, seed_chance
from bottega.engine.kit import Kit
from bottega.engine.lanes import unpack
from bottega.engine.numbers import clear, mark, write_lanes, write_set
from bottega.engine.record import blank
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.building import open_stages
from bottega.games.one_card_wonder.effects import RESOURCES, SYMBOLS, THINGS
from bottega.games.one_card_wonder.state import (
    ANY,
    ASIDE,
    COIN,
    COLOURS,
    DRAFTED,
    KINDS,
    LEADERS,
    MAT_BUILDINGS,
    MATS,
    MOST_SEATS,
    NO_LEADER,
    NO_MAT,
    NO_WONDER,
    NOBODY,
    OBELISKS,
    OFFERS,
    PAYING,
    PROPOSED,
    SLOTS,
    STAGES,
    TABLE,
    WONDERS,
)
from bottega.games.one_card_wonder.things import take_back
from bottega.games.one_card_wonder.trading import let_fall

PHASES = (
    "draft",
    "mats",
    "act",
    "keep",
    "claim more",
    "build",
    "pay",
    "sell",
    "exchange",
    "take",
    "order",
    "overflow",
    "end",
    "pledge",
    "name",
    "raise",
)


# A fair sample of what is hidden


@rule
def conceal(kit, s, seat, seed):
    """Other mats, sealed choices and leaders; what others only began is taken back."""
    if s.open and s.now[0].actor != seat:
        take_back(s)
    for other in range(s.seats):
        if other != seat:
            forget(s.players[other])
    seed_chance(s, seed)
    imagine_mats(s, seat)
    imagine_leaders(s, seat)
    if not s.open:
        s.past[0] = s.now[0]
        s.players[ASIDE] = s.players[0]


@rule
def forget(player):
    """Take back a trade being drafted."""
    if player.trade == DRAFTED:
        let_fall(player)


@rule
def imagine_mats(s, seat):
    """Until all have chosen: any two of the mats the seat does not hold, and either choice."""
    pool = bit(MATS) - 1
    for other in range(s.seats):
        player = s.players[other]
        if other == seat and player.mat == NO_MAT:
            pool &= ~(bit(player.dealt[0]) | bit(player.dealt[1]))
    for other in range(s.seats):
        player = s.players[other]
        if other != seat and player.mat == NO_MAT:
            for which in range(2):
                mat = pick(s, pool)
                pool ^= bit(mat)
                player.dealt[which] = mat
            if player.chosen:
                player.chosen = 1 + below(s, 2)


@rule
def imagine_leaders(s, seat):
    """Any of the leaders neither revealed nor in the seat's own hand."""
    pool = (bit(LEADERS) - 1) & ~np.int64(s.revealed)
    for other in range(s.seats):
        if other == seat and s.players[other].leader != NO_LEADER:
            pool &= ~bit(s.players[other].leader)
    for other in range(s.seats):
        if other != seat and s.players[other].leader != NO_LEADER:
            leader = pick(s, pool)
            pool ^= bit(leader)
            s.players[other].leader = leader


# What a seat sees, as a plain value


def seen_by(s: Any, viewer: int) -> Any:
    """The table without what others have begun but not confirmed."""
    if not s.open or s.now[0].actor == viewer:
        return s
    table = blank(TABLE)
    table[0] = s
    table["now"] = table["past"]
    table["players"][0, table["now"]["actor"][0, 0]] = table["players"][0, ASIDE]
    table["open"] = 0
    return table[0]


def heap(lanes: int, names: tuple[str, ...] = THINGS) -> dict[str, int]:
    """Lanes as counts by name."""
    return dict(zip(names, unpack(lanes, len(names)), strict=True))


def symbols(lanes: int) -> list[str]:
    """A cost as a list of its symbols."""
    return [name for name, n in heap(lanes, SYMBOLS).items() for _ in range(n)]


def without(cost: list[str], savings: int) -> list[str]:
    """The symbols of a cost that are left after savings."""
    if not savings:
        return list(cost)
    saved = heap(savings)
    left = []
    for symbol in cost:
        if saved.get(symbol):
            saved[symbol] -= 1
        else:
            left.append(symbol)
    return left


def view(kit: Kit, s: Any, viewer: int) -> dict[str, Any]:
    """The table as the viewer sees it. Components carry what is printed on them."""
    s = seen_by(s, viewer)
    middle = s.now[0]
    own = viewer == middle.actor
    return {
        "kit": {"name": kit.name, "title": kit.title, "origin": kit.origin},
        "phase": PHASES[middle.phase],
        "turn": int(s.turn),
        "goal": goal_view(kit, s),
        "actor": int(middle.actor),
        "bag": heap(middle.bag, RESOURCES),
        "supply": heap(middle.supply, RESOURCES),
        "coins": int(middle.coins),
        "hand": heap(middle.hand, RESOURCES),
        "left": int(middle.left),
        "taking": {"supply": int(middle.from_supply), "bag": int(middle.from_bag)},
        "pending": [slot for slot in range(SLOTS) if middle.pending >> slot & 1],
        "offers": [offer_view(kit, s, place) for place in range(OFFERS)],
        "choosing": [printed(kit, "mats", mat) for mat in s.players[viewer].dealt]
        if viewer >= 0 and s.players[viewer].dealt[0] < NO_MAT and s.players[viewer].mat == NO_MAT
        else [],
        "paying": paying_view(middle) if own and middle.phase == PAYING else None,
        "leader": leader_view(kit, s) if s.owner != NOBODY else None,
        "trades": [
            trade_view(s, seat)
            for seat in range(s.seats)
            if s.players[seat].trade == PROPOSED
            or (s.players[seat].trade == DRAFTED and seat == viewer)
        ],
        "surplus": [seat for seat in range(s.seats) if s.surplus >> seat & 1],
        "ceiling": int(s.ceiling),
        "players": [player_view(kit, s, seat, viewer) for seat in range(s.seats)],
    }


def goal_view(kit: Kit, s: Any) -> dict[str, Any]:
    """What one plays for, and how far everybody is, in percent (W15)."""
    shares, said = [], []
    for seat in range(s.seats):
        player = s.players[seat]
        built, stages = int(player.stages).bit_count(), 0
        if player.wonder != NO_WONDER:
            stages = len(kit.words["wonders"][player.wonder]["stages"])
        shares.append(100 * built // max(1, stages))
        said.append(f"{built} of {stages} stages" if stages else "no wonder yet")
    return {"text": "First to finish a wonder", "most": 100, "reached": shares, "said": said}


def offer_view(kit: Kit, s: Any, place: int) -> dict[str, Any] | None:
    """A wonder on offer, with its two cubes."""
    wonder = int(s.wonders[place])
    if wonder == NO_WONDER:
        return None
    return {**printed(kit, "wonders", wonder), "cubes": heap(s.gifts[place], RESOURCES)}


def printed(kit: Kit, kind: str, number: int) -> dict[str, Any]:
    """What is printed on a wonder, a mat or a leader."""
    return {"id": int(number), **kit.words[kind][number]}


def paying_view(middle: Any) -> dict[str, Any]:
    """A payment as far as it is chosen, and what would complete it."""
    return {
        "due": symbols(middle.due),
        "paid": heap(middle.paid),
        "rest": heap(middle.bill - middle.paid),
        "stage": int(middle.target) if middle.target < STAGES else None,
        "slot": int(middle.target) - STAGES if middle.target >= STAGES else None,
    }


def leader_view(kit: Kit, s: Any) -> dict[str, Any]:
    """The leader being resolved."""
    middle = s.now[0]
    return {
        **printed(kit, "leaders", s.leader),
        "owner": int(s.owner),
        "pledged": heap(middle.paid),
        "globe_cube": RESOURCES[middle.globe - 1] if middle.globe else None,
    }


def trade_view(s: Any, seat: int) -> dict[str, Any]:
    """A trade proposed or, to its owner, drafted."""
    player = s.players[seat]
    return {
        "from": seat,
        "to": int(player.partner),
        "give": heap(player.give),
        "ask": heap(player.ask),
        "proposed": bool(player.trade == PROPOSED),
    }


def player_view(kit: Kit, s: Any, seat: int, viewer: int) -> dict[str, Any]:
    """A player's things, open to all but the leader."""
    player = s.players[seat]
    own = seat == viewer
    seen: dict[str, Any] = {
        "stock": heap(player.stock),
        "room": int(player.room),
        "wonder": None,
        "mat": None,
        "buildings": [],
        "obelisks": OBELISKS - int(player.buildings).bit_count(),
        "built": int(player.stages).bit_count(),
        "share": 0,
        "chosen": int(player.chosen) if own else bool(player.chosen),
        "leader": leader_of(kit, player, own),
        "pledge": heap(player.pledge),
    }
    if player.wonder != NO_WONDER:
        purse = Purse.of(player)
        seen["wonder"] = wonder_view(kit, player, purse)
        seen["share"] = 100 * seen["built"] // len(seen["wonder"]["stages"])
        seen["buildings"] = buildings_view(kit, player, purse)
    if player.mat != NO_MAT:
        mat = kit.words["mats"][player.mat]
        seen["mat"] = {"id": int(player.mat), "name": mat["name"], "motto": mat["motto"]}
    return seen


def leader_of(kit: Kit, player: Any, own: bool) -> Any:
    """The own leader as printed, another's as "hidden", None when there is none any more."""
    if player.leader == NO_LEADER:
        return None
    return printed(kit, "leaders", player.leader) if own else "hidden"


def wonder_view(kit: Kit, player: Any, purse: Purse) -> dict[str, Any]:
    """A player's wonder: which stages stand, which are open, what they cost now and lack."""
    wonder = printed(kit, "wonders", player.wonder)
    standing, savings = int(player.stages), int(player.stage_savings)
    built = {stage + 1 for stage in range(STAGES) if standing >> stage & 1}
    stages = []
    for number, stage in enumerate(wonder["stages"], start=1):
        price = without(stage["cost"], savings)
        stands = number in built
        stages.append(
            {
                **stage,
                "built": stands,
                "open": not stands and built.issuperset(stage["on"]),
                "price": price,
                "missing": purse.lacks(price),
            }
        )
    return {**wonder, "stages": stages, "buildings": None}


def buildings_view(kit: Kit, player: Any, purse: Purse) -> list[dict[str, Any]]:
    """A player's buildings by slot: those of the mat, then those of the wonder."""
    savings = int(player.building_savings)
    built = int(player.buildings)
    seen = []
    for slot, building in buildings_of(kit, player).items():
        price = without(building["cost"], savings)
        seen.append(
            {
                **building,
                "slot": slot,
                "of": "mat" if slot < MAT_BUILDINGS else "wonder",
                "price": price,
                "missing": purse.lacks(price),
                "built": bool(built >> slot & 1),
            }
        )
    return seen


def buildings_of(kit: Kit, player: Any) -> dict[int, dict[str, Any]]:
    """What is printed on a player's buildings, by slot."""
    mat, wonder = int(player.mat), int(player.wonder)
    of_mat = kit.words["mats"][mat]["buildings"] if mat != NO_MAT else []
    of_wonder = kit.words["wonders"][wonder]["buildings"] if wonder != NO_WONDER else []
    return {**dict(enumerate(of_mat)), **dict(enumerate(of_wonder, start=MAT_BUILDINGS))}


def building_in(kit: Kit, player: Any, slot: int) -> dict[str, Any] | None:
    """What is printed on the building in a slot; None for an empty one."""
    return buildings_of(kit, player).get(slot)


@dataclass(frozen=True)
class Purse:
    """What a player pays with."""

    stock: tuple[int, ...]  # things of each kind
    stands_for: tuple[int, ...]  # for each colour, the set it may be paid as

    @classmethod
    def of(cls, player: Any) -> Purse:
        return cls(tuple(unpack(player.stock, KINDS)), tuple(player.stands_for.tolist()))

    def lacks(self, price: list[str]) -> list[str]:
        """The symbols of a price that are not covered."""
        return list(uncovered(self.stock, self.stands_for, tuple(price)))


@lru_cache(maxsize=10_000)  # everybody at a table looks at the same purses and prices
def uncovered(
    stock: tuple[int, ...], stands_for: tuple[int, ...], price: tuple[str, ...]
) -> tuple[str, ...]:
    """The symbols of a price that a stock does not cover. Coins stand in for missing colours, and
    so do colours that buildings let pass for others."""
    short = [price.count(name) for name in RESOURCES]
    spare = list(stock[:COLOURS])
    for colour in range(COLOURS):
        short[colour], spare[colour] = pay(short[colour], spare[colour])
    for colour in range(COLOURS):
        for other in range(COLOURS):
            if stands_for[other] >> colour & 1:
                short[colour], spare[other] = pay(short[colour], spare[other])
    no_coin, coins = pay(price.count("coin"), stock[COIN])
    lacking = ["coin"] * no_coin
    for colour in range(COLOURS):
        short[colour], coins = pay(short[colour], coins)
        lacking += [RESOURCES[colour]] * short[colour]
    return (*lacking, *["any"] * max(price.count("any") - sum(spare) - coins, 0))


def pay(due: int, have: int) -> tuple[int, int]:
    """What is still due, and what is left."""
    return max(due - have, 0), max(have - due, 0)


# What a seat knows, as numbers

SCALE = 8.0  # counts are divided by this
PLAYER_NUMBERS = (
    1 + KINDS + 1 + (ANY + 1) + WONDERS + 2 * STAGES + MATS + SLOTS + 1 + LEADERS
    + 1 + MOST_SEATS + 2 * KINDS + KINDS + 2 * MATS + 3
)  # fmt: skip
LAYOUT: tuple[tuple[str, int], ...] = (
    ("number of players: one of 2 to 6", MOST_SEATS - 1),
    ("whose turn, clockwise from the seat: one of 6", MOST_SEATS),
    ("who decides, likewise", MOST_SEATS),
    ("phase: one of 16", len(PHASES)),
    ("bag: cubes of 5 colours / 8", COLOURS),
    ("supply, likewise", COLOURS),
    ("coins in the coin supply / 8", 1),
    ("drawn cubes / 8", COLOURS),
    ("cost being paid: 7 symbols / 8", ANY + 1),
    ("paid so far: 6 kinds / 8", KINDS),
    ("paid for: one of 12 stages and 6 slots", STAGES + SLOTS),
    ("abilities to be resolved: 6 slots; the one in use: 6 slots", 2 * SLOTS),
    ("left, stages and buildings in this action, closed, to take from supply and bag, / 8", 6),
    ("globe: one of 5 colours", COLOURS),
    ("leader being resolved: one of 10; whose, clockwise", LEADERS + MOST_SEATS),
    ("leaders revealed so far: 10", LEADERS),
    ("wonders on offer: 7 places: which of 18, cubes (5) / 8", OFFERS * (WONDERS + COLOURS)),
    (
        "6 seats, the own first: there, stock (6) / 8, room / 8, what the wonder still costs (7) / "
        "8, which wonder (18), stages built (12) and open (12), which mat (12), buildings (6), a "
        "leader hidden, which (10, own only), trade proposed, with whom (6), giving (6) and asking "
        "(6) / 8, pledged (6) / 8, mats to choose from (2 x 12) and chosen (3) (own only)",
        MOST_SEATS * PLAYER_NUMBERS,
    ),
)
OBSERVATION = sum(size for _, size in LAYOUT)


@rule
def encode(kit, s, seat, out):
    """What the seat knows, in the order of LAYOUT."""
    clear(out, OBSERVATION)
    own = s.now[0].actor == seat
    at = encode_middle(s, s.now[0] if own or not s.open else s.past[0], seat, out)
    at = encode_offers(s, out, at)
    for offset in range(s.seats):
        other = (seat + offset) % s.seats
        # Of an open chain only its owner knows more than what was before.
        aside = s.open and other == s.now[0].actor and other != seat
        encode_player(kit, s.players[ASIDE if aside else other], s.seats, seat, offset, out, at)
        at += PLAYER_NUMBERS


@rule
def encode_middle(s, middle, seat, out):
    """The middle of the table; where the next numbers go."""
    mark(out, 0, s.seats - 2)
    at = MOST_SEATS - 1
    mark(out, at, (s.turn + s.seats - seat) % s.seats)
    at += MOST_SEATS
    mark(out, at, (middle.actor + s.seats - seat) % s.seats)
    at += MOST_SEATS
    mark(out, at, middle.phase)
    at += len(PHASES)
    at = write_lanes(middle.bag, COLOURS, SCALE, out, at)
    at = write_lanes(middle.supply, COLOURS, SCALE, out, at)
    out[at] = middle.coins / SCALE
    at = write_lanes(middle.hand, COLOURS, SCALE, out, at + 1)
    at = write_lanes(middle.due, ANY + 1, SCALE, out, at)
    at = write_lanes(middle.paid, KINDS, SCALE, out, at)
    if middle.phase == PAYING:
        mark(out, at, middle.target)
    at += STAGES + SLOTS
    at = write_set(middle.pending, SLOTS, out, at)
    mark(out, at, middle.slot)
    at += SLOTS
    out[at] = middle.left / SCALE
    out[at + 1] = middle.raised / SCALE
    out[at + 2] = middle.built / SCALE
    out[at + 3] = middle.closed / SCALE
    out[at + 4] = middle.from_supply / SCALE
    out[at + 5] = middle.from_bag / SCALE
    at += 6
    if middle.globe:
        mark(out, at, middle.globe - 1)
    at += COLOURS
    if s.owner != NOBODY:
        mark(out, at, s.leader)
        mark(out, at, LEADERS + (s.owner + s.seats - seat) % s.seats)
    at += LEADERS + MOST_SEATS
    return write_set(s.revealed, LEADERS, out, at)


@rule
def encode_offers(s, out, at):
    """The wonders on offer; where the next numbers go."""
    for place in range(OFFERS):
        if s.wonders[place] != NO_WONDER:
            mark(out, at, s.wonders[place])
            write_lanes(s.gifts[place], COLOURS, SCALE, out, at + WONDERS)
        at += WONDERS + COLOURS
    return at


@rule
def encode_player(kit, player, seats, seat, offset, out, at):
    """A player's things as far as the seat knows them."""
    out[at] = 1.0
    at = write_lanes(player.stock, KINDS, SCALE, out, at + 1)
    out[at] = player.room / SCALE
    at = write_lanes(player.need, ANY + 1, SCALE, out, at + 1)
    if player.wonder != NO_WONDER:
        mark(out, at, player.wonder)
        write_set(player.stages, STAGES, out, at + WONDERS)
        write_set(open_stages(kit, player), STAGES, out, at + WONDERS + STAGES)
    at += WONDERS + 2 * STAGES
    if player.mat != NO_MAT:
        mark(out, at, player.mat)
    at = write_set(player.buildings, SLOTS, out, at + MATS)
    if player.leader != NO_LEADER:
        out[at] = 1.0
        if offset == 0:
            mark(out, at, 1 + player.leader)
    at += 1 + LEADERS
    if player.trade == PROPOSED or (player.trade == DRAFTED and offset == 0):
        out[at] = 1.0 if player.trade == PROPOSED else 0.5
        mark(out, at, 1 + (player.partner + seats - seat) % seats)
        write_lanes(player.give, KINDS, SCALE, out, at + 1 + MOST_SEATS)
        write_lanes(player.ask, KINDS, SCALE, out, at + 1 + MOST_SEATS + KINDS)
    at = write_lanes(player.pledge, KINDS, SCALE, out, at + 1 + MOST_SEATS + 2 * KINDS)
    if offset == 0 and player.mat == NO_MAT:
        mark(out, at, player.dealt[0])
        mark(out, at, MATS + player.dealt[1])
        mark(out, at, 2 * MATS + player.chosen)
