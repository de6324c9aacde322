"""What a seat of Artificium may know (A19).

Hidden are the deck, whose order does not even exist before a card is drawn, the hands of
others, the cards others discarded unseen, and everything chosen but not yet revealed.

What a seat is *certain* of stays in a sample: every card that went into a hand before its eyes
(taken at the market, taken back, returned by Reconstruction, lost to Exploration) until it is
seen to leave. A card that leaves unseen makes one card of every kind in that hand uncertain.
All other unseen cards are one pool from which hands, unseen discards and the deck are dealt
anew. When the discards become the deck, what lay among them is forgotten. A choice that is
sealed is sampled too: any card of the sampled hand or a pass, each as likely; at the turn's
end: everything is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bottega.engine.chance import below, seed_chance
from bottega.engine.kit import Kit
from bottega.engine.language import plural
from bottega.engine.numbers import clear, mark
from bottega.engine.rule import rule
from bottega.games.artificium.cards import MOST_KNOWN, cards_in, known, nth_card
from bottega.games.artificium.components import RESOURCES
from bottega.games.artificium.playing import forget_trade
from bottega.games.artificium.state import (
    CHOOSE,
    EVERYBODY,
    GOODS,
    KINDS,
    MARKET,
    MOST_SEATS,
    NO_CARD,
    OPEN,
    PLACES,
    RESOLVE,
    SEALED_PASS,
    TURN_END,
    WIZARD,
)
from bottega.games.artificium.turns import HAND, TURNS

PHASES = ("market", "choose", "resolve", "wizard", "turn end")


@rule
def conceal(kit, s, seat, seed):
    """A fair sample of what the seat cannot know; unconfirmed decisions of others taken back."""
    knower = seat if seat >= 0 else EVERYBODY
    unknown = 0  # the cards to be dealt to each hand, a byte a seat
    unseen = 0  # the cards to be dealt to each player's unseen discards
    if s.actor != seat:
        forget_trade(s)
    for other in range(s.seats):
        if other != seat:
            player = s.players[other]
            take_back(s, player)
            unknown |= pool_hand(s, player, knower) << (8 * other)
            unseen |= pool_buried(s, player) << (8 * other)
    seed_chance(s, seed)
    for other in range(s.seats):
        if other != seat:
            player = s.players[other]
            deal_from_pool(s, player.hand, unknown >> (8 * other) & 255)
            deal_from_pool(s, player.buried, unseen >> (8 * other) & 255)
            if player.sealed != OPEN:
                seal_any(s, player)
            # What others know of each other is not for the seat to know.
            for third in range(EVERYBODY):
                if third != knower:
                    player.known[third] = player.known[EVERYBODY]


@rule
def take_back(s, player):
    """Undo what the others cannot see yet: trade, and cards laid out to be discarded."""
    player.coins = player.purse
    for good in range(GOODS):
        player.goods[good] = player.board[good]
    if s.phase == TURN_END:
        for kind in range(KINDS):
            player.hand[kind] += player.front[kind]
            player.front[kind] = 0


@rule
def pool_hand(s, player, knower):
    """Put a hand into the deck but for the cards that are certain; how many it were."""
    number = 0
    for kind in range(KINDS):
        moved = player.hand[kind] - known(player, knower, kind)
        player.hand[kind] -= moved
        s.deck[kind] += moved
        number += moved
    return number


@rule
def pool_buried(s, player):
    """Put unseen discards into the deck; how many they were."""
    number = cards_in(player.buried)
    for kind in range(KINDS):
        s.deck[kind] += player.buried[kind]
        player.buried[kind] = 0
    return number


@rule
def deal_from_pool(s, cards, number):
    """Random cards of the deck, with what was pooled there."""
    pool = cards_in(s.deck)
    for dealt in range(number):
        kind = nth_card(s.deck, below(s, pool - dealt))
        s.deck[kind] -= 1
        cards[kind] += 1


@rule
def seal_any(s, player):
    """Any choice in place of the sealed one."""
    number = below(s, player.held + 1)
    player.sealed = SEALED_PASS if number == player.held else nth_card(player.hand, number) + 1


# What a seat sees, as a plain value


def view(kit: Kit, s: Any, viewer: int) -> dict[str, Any]:
    """The table as the viewer sees it. Cards carry what is printed on them."""
    deciding = s.phase in (MARKET, RESOLVE, WIZARD) and not s.over
    buried = sum(int(s.players[seat].buried.sum()) for seat in range(s.seats))
    return {
        "kit": {
            "name": kit.name,
            "title": kit.title,
            "origin": kit.origin,
            "reconstructed": kit.words["reconstructed"],
        },
        "phase": PHASES[s.phase],
        "turn": int(s.turn),
        "last_turn": TURNS,
        "goal": goal_view(s),
        "first": int(s.first),
        "actor": int(s.actor) if deciding else None,
        "due": int(s.due),
        "deck": int(s.left),
        "discards": int(s.discards.sum()) + buried,
        "market": [face(kit, card) for card in s.market.tolist()],
        "cards": [face(kit, card) for card in kit.words["faces"]],
        "resources": [dict(resource) for resource in kit.words["goods"]],
        "track": [dict(space) for space in kit.words["track"]],
        "players": [player_view(kit, s, seat, viewer) for seat in range(s.seats)],
    }


def goal_view(s: Any) -> dict[str, Any]:
    """What one plays for, and how far everybody is (A17)."""
    points = [int(s.players[seat].points) for seat in range(s.seats)]
    last = "after this turn" if s.turn == TURNS else f"after turn {TURNS}"
    text = "Most points" if s.over else f"Most points {last}"
    said = [plural(number, "point") for number in points]
    return {"text": text, "most": max(points), "reached": points, "said": said}


def face(kit: Kit, card: int) -> dict[str, Any] | None:
    """What is printed on a card of a kind."""
    if card == NO_CARD:
        return None
    printed = kit.words["faces"][card]
    return {**printed, "takes": {**printed["takes"]}, "gives": {**printed["gives"]}}


def faces(kit: Kit, counts: list[int]) -> list[dict[str, Any] | None]:
    """Cards one by one, sorted by kind."""
    return [face(kit, kind) for kind, number in enumerate(counts) for _ in range(number)]


def player_view(kit: Kit, s: Any, seat: int, viewer: int) -> dict[str, Any]:
    """A player's open things, and of the hidden ones what the viewer knows."""
    player = s.players[seat]
    own = seat == viewer
    goods = player.goods if own else player.board
    sealed = int(player.sealed)
    seen: dict[str, Any] = {
        "points": int(player.points),
        "coins": int(player.coins if own else player.purse),
        "goods": dict(zip(RESOURCES, goods.tolist(), strict=True)),
        "held": int(player.held),
        "hand": faces(kit, player.hand.tolist()) if own else None,
        "certain": [] if own else faces(kit, certain(player, viewer)),
        "front": faces(kit, player.front.tolist()) if own or s.phase != TURN_END else [],
        "card": face(kit, int(player.card)),
        "chosen": sealed != OPEN,
        "sealed": None,
        "passed": bool(s.passed >> seat & 1),
        "exchanged": bool(s.exchanged >> seat & 1),
    }
    if own and sealed != OPEN:
        seen["sealed"] = "pass" if sealed == SEALED_PASS else face(kit, sealed - 1)
    return seen


def certain(player: Any, viewer: int) -> list[int]:
    """The cards that the viewer is certain to be in a hand, by kind."""
    word = int(player.known[viewer if viewer >= 0 else EVERYBODY])
    return [word >> 3 * kind & MOST_KNOWN for kind in range(KINDS)]


# What a seat knows, as numbers

PLAYER_NUMBERS = 1 + 3 + GOODS + 1 + KINDS + KINDS + (KINDS + 1) + KINDS + 3
LAYOUT: tuple[tuple[str, int], ...] = (
    ("number of players: one of 2 to 6", MOST_SEATS - 1),
    ("turn: one of 1 to 4", TURNS),
    ("phase: one of market, choose, resolve, wizard, turn end", len(PHASES)),
    ("who decides alone, clockwise from the seat: one of 6, or nobody", MOST_SEATS),
    ("the first player, clockwise from the seat: one of 6", MOST_SEATS),
    ("cards due to the Wizard / 3", 1),
    ("deck / 108", 1),
    ("market: 6 places: one of 18 kinds, or nothing", PLACES * KINDS),
    ("cards the seat knows to be discarded, of each kind / 8", KINDS),
    (
        "6 seats, the own first: there, points / 64, coins / 16, hand / 5, resources / 4 (9), "
        "worth of the resources / 16, cards known to be in the hand / 2 (18), cards in front / 2 "
        "(18), the revealed card: one of 18, or nothing; chosen and not revealed: one of 18 kinds "
        "or a pass (only one's own); chosen, passed, free exchange used",
        MOST_SEATS * PLAYER_NUMBERS,
    ),
)
OBSERVATION = sum(size for _, size in LAYOUT)


@rule
def encode(kit, s, seat, out):
    """What the seat knows, in the order of LAYOUT."""
    clear(out, OBSERVATION)
    mark(out, 0, s.seats - 2)
    at = MOST_SEATS - 1
    mark(out, at - 1, s.turn)
    at += TURNS
    mark(out, at, s.phase)
    at += len(PHASES)
    if s.phase != CHOOSE and s.phase != TURN_END:
        mark(out, at, (s.actor + s.seats - seat) % s.seats)
    at += MOST_SEATS
    mark(out, at, (s.first + s.seats - seat) % s.seats)
    at += MOST_SEATS
    out[at] = s.due / 3.0
    out[at + 1] = s.left / 108.0
    at += 2
    for place in range(PLACES):
        if s.market[place] != NO_CARD:
            mark(out, at, s.market[place])
        at += KINDS
    for kind in range(KINDS):
        out[at + kind] = (s.discards[kind] + s.players[seat].buried[kind]) / 8.0
    at += KINDS
    for offset in range(s.seats):
        other = (seat + offset) % s.seats
        encode_player(kit, s, other, seat, out, at)
        at += PLAYER_NUMBERS


@rule
def encode_player(kit, s, seat, viewer, out, at):
    """A player as the viewer knows it."""
    player = s.players[seat]
    own = seat == viewer
    out[at] = 1.0
    out[at + 1] = player.points / 64.0
    out[at + 2] = (player.coins if own else player.purse) / 16.0
    out[at + 3] = player.held / HAND
    at += 4
    worth = 0
    for good in range(GOODS):
        number = np.int64(player.goods[good] if own else player.board[good])
        out[at + good] = number / 4.0
        worth += number * np.int64(kit.sell[good])
    out[at + GOODS] = worth / 16.0
    at += GOODS + 1
    for kind in range(KINDS):
        out[at + kind] = (player.hand[kind] if own else known(player, viewer, kind)) / 2.0
        if own or s.phase != TURN_END:
            out[at + KINDS + kind] = player.front[kind] / 2.0
    at += 2 * KINDS
    if player.card != NO_CARD:
        mark(out, at, player.card)
    at += KINDS
    if own and player.sealed != OPEN:
        mark(out, at - 1, player.sealed)
    at += KINDS + 1
    out[at] = player.sealed != OPEN
    out[at + 1] = s.passed >> seat & 1
    out[at + 2] = s.exchanged >> seat & 1
