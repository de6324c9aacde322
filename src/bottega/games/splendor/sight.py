"""What a seat of Splendor may know (S5, S13).

Hidden are the order of the decks, which does not even exist before a card is drawn, and the
cards that others reserved from a deck. How a card is being paid is the payer's business until
it is settled.
"""

from __future__ import annotations

from typing import Any

from bottega.engine.bits import bit, count
from bottega.engine.chance import pick, seed_chance
from bottega.engine.kit import Kit
from bottega.engine.lanes import unpack
from bottega.engine.language import plural
from bottega.engine.numbers import clear, mark, write_lanes
from bottega.engine.rule import rule
from bottega.games.splendor.rules import GOAL, level_of
from bottega.games.splendor.state import (
    ACT,
    GEMS,
    HAND,
    LEVELS,
    MOST_NOBLES,
    MOST_SEATS,
    NO_CARD,
    NO_NOBLE,
    NOBLES,
    PAY,
    PLACES,
    ROW,
)

KINDS = ("white", "blue", "green", "red", "black", "gold")
PHASES = ("act", "pay", "give back", "welcome")


@rule
def conceal(kit, s, seat, seed):
    """A fair sample of the cards others hold unseen; an unsettled payment is taken back."""
    for other in range(s.seats):
        if other != seat:
            return_unseen(kit, s, s.players[other])
    seed_chance(s, seed)
    for other in range(s.seats):
        if other != seat:
            redraw_unseen(kit, s, s.players[other])
    if s.phase == PAY and s.turn != seat:
        s.phase = ACT
        s.buying = 0
        s.bill = 0


@rule
def return_unseen(kit, s, player):
    """Put unseen cards back into their decks. Only their level stays in the hand."""
    for place in range(HAND):
        if player.unseen >> place & 1:
            level = level_of(kit, player.hand[place])
            s.decks[level] |= bit(player.hand[place] - kit.first[level])
            player.hand[place] = kit.first[level]


@rule
def redraw_unseen(kit, s, player):
    """Draw other cards of the same levels."""
    for place in range(HAND):
        if player.unseen >> place & 1:
            level = level_of(kit, player.hand[place])
            card = pick(s, s.decks[level])
            s.decks[level] ^= bit(card)
            player.hand[place] = kit.first[level] + card


# What a seat sees, as a plain value


def view(kit: Kit, s: Any, viewer: int) -> dict[str, Any]:
    """The table as the viewer sees it. Cards carry what is printed on them."""
    components = kit.record[0]
    own = viewer == s.turn
    phase = ACT if s.phase == PAY and not own else s.phase
    seen: dict[str, Any] = {
        "kit": {"name": kit.name, "title": kit.title, "origin": kit.origin},
        "phase": PHASES[phase],
        "turn": int(s.turn),
        "last_round": bool(s.last_round),
        "goal": goal_view(s),
        "bank": dict(zip(KINDS, unpack(s.bank, GEMS + 1), strict=True)),
        "decks": [int(count(s.decks[level])) for level in range(LEVELS)],
        "market": [
            [card_view(components, s.market[level * ROW + place]) for place in range(ROW)]
            for level in range(LEVELS)
        ],
        "nobles": [noble_view(components, noble) for noble in s.nobles[: s.seats + 1]],
        "players": [
            player_view(components, s.players[seat], seat == viewer) for seat in range(s.seats)
        ],
        "bill": None,
    }
    if phase == PAY:
        seen["bill"] = dict(zip(KINDS, unpack(s.bill, GEMS + 1), strict=True))
        seen["buying"] = int(s.buying)
    return seen


def goal_view(s: Any) -> dict[str, Any]:
    """What one plays for, and how far everybody is (S12)."""
    points = [int(s.players[seat].points) for seat in range(s.seats)]
    said = [f"{plural(number, 'point')} of {GOAL}" for number in points]
    return {"text": f"First to {GOAL} points", "most": GOAL, "reached": points, "said": said}


def card_view(components: Any, card: int) -> dict[str, Any] | None:
    """What is printed on a card."""
    if card == NO_CARD:
        return None
    return {
        "id": int(card),
        "level": int(level_of(components, card)) + 1,
        "bonus": KINDS[unpack(components.bonus[card], GEMS).index(1)],
        "points": int(components.points[card]),
        "cost": dict(zip(KINDS, unpack(components.cost[card], GEMS), strict=False)),
    }


def noble_view(components: Any, noble: int) -> dict[str, Any] | None:
    """What is printed on a noble."""
    if noble == NO_NOBLE:
        return None
    return {
        "id": int(noble),
        "points": int(components.favour[noble]),
        "need": dict(zip(KINDS, unpack(components.need[noble], GEMS), strict=False)),
    }


def player_view(components: Any, player: Any, own: bool) -> dict[str, Any]:
    """A player's open things, and the hand as far as the viewer knows it."""
    hand = []
    for place in range(int(player.held)):
        unseen = bool(player.unseen >> place & 1)
        card = card_view(components, player.hand[place])
        if unseen and not own and card is not None:
            card = {"id": None, "level": card["level"]}
        hand.append({**(card or {}), "unseen": unseen})
    won = [noble for noble in range(NOBLES) if int(player.nobles) >> noble & 1]
    return {
        "tokens": dict(zip(KINDS, unpack(player.tokens, GEMS + 1), strict=True)),
        "bonuses": dict(zip(KINDS, unpack(player.bonuses, GEMS), strict=False)),
        "hand": hand,
        "points": int(player.points),
        "bought": int(player.bought),
        "cards": cards_view(components, player),
        "nobles": [noble_view(components, noble) for noble in won],
    }


def cards_view(components: Any, player: Any) -> list[dict[str, Any] | None]:
    """The cards that a player has bought."""
    return [
        card_view(components, components.first[level] + number)
        for level in range(LEVELS)
        for number in range(int(player.cards[level]).bit_length())
        if int(player.cards[level]) >> number & 1
    ]


# What a seat knows, as numbers

CARD_NUMBERS = 2 + LEVELS + 1 + 2 * GEMS  # there, unseen, level, points, bonus, cost
PLAYER_NUMBERS = 1 + (GEMS + 1) + GEMS + 3 + HAND * CARD_NUMBERS
LAYOUT: tuple[tuple[str, int], ...] = (
    ("number of players: one of 2, 3, 4", MOST_SEATS - 1),
    ("whose turn, clockwise from the seat: one of 4", MOST_SEATS),
    ("phase: one of act, pay, give back, welcome", 4),
    ("last round", 1),
    ("bank: tokens of each kind / 7", GEMS + 1),
    ("decks: share of each level left", LEVELS),
    (
        "market: 12 cards: there, unseen, level (3), points / 5, bonus (5), cost / 7 (5)",
        PLACES * CARD_NUMBERS,
    ),
    ("nobles: 5 places: there, needs / 4 (5)", MOST_NOBLES * (1 + GEMS)),
    ("bill while paying: tokens of each kind / 7", GEMS + 1),
    (
        "4 seats, the own first: there, tokens / 7 (6), bonuses / 7 (5), points / 15, "
        "bought / 20, reserved / 3, hand of 3 cards",
        MOST_SEATS * PLAYER_NUMBERS,
    ),
)
OBSERVATION = sum(size for _, size in LAYOUT)


@rule
def encode(kit, s, seat, out):
    """What the seat knows, in the order of LAYOUT."""
    clear(out, OBSERVATION)
    own = s.turn == seat
    mark(out, 0, s.seats - 2)
    at = MOST_SEATS - 1
    mark(out, at, (s.turn + s.seats - seat) % s.seats)
    at += MOST_SEATS
    mark(out, at, ACT if s.phase == PAY and not own else s.phase)
    at += 4
    out[at] = s.last_round
    at += 1
    at = write_lanes(s.bank, GEMS + 1, 7.0, out, at)
    for level in range(LEVELS):
        out[at + level] = count(s.decks[level]) / count(kit.full[level])
    at += LEVELS
    for place in range(PLACES):
        at = encode_card(kit, s.market[place], False, out, at)
    for place in range(MOST_NOBLES):
        if s.nobles[place] != NO_NOBLE:
            out[at] = 1.0
            write_lanes(kit.need[s.nobles[place]], GEMS, 4.0, out, at + 1)
        at += 1 + GEMS
    if own and s.phase == PAY:
        write_lanes(s.bill, GEMS + 1, 7.0, out, at)
    at += GEMS + 1
    for offset in range(s.seats):
        other = (seat + offset) % s.seats
        encode_player(kit, s.players[other], offset == 0, out, at)
        at += PLAYER_NUMBERS


@rule
def encode_card(kit, card, unseen, out, at):
    """A card as far as it is known; where the next numbers go."""
    if card != NO_CARD:
        mark(out, at, 0)
        out[at + 1] = unseen
        mark(out, at + 2, level_of(kit, card))
        if not unseen:
            out[at + 2 + LEVELS] = kit.points[card] / 5.0
            write_lanes(kit.bonus[card], GEMS, 1.0, out, at + 3 + LEVELS)
            write_lanes(kit.cost[card], GEMS, 7.0, out, at + 3 + LEVELS + GEMS)
    return at + CARD_NUMBERS


@rule
def encode_player(kit, player, own, out, at):
    """A player's open things, and the hand as far as it is known."""
    out[at] = 1.0
    at = write_lanes(player.tokens, GEMS + 1, 7.0, out, at + 1)
    at = write_lanes(player.bonuses, GEMS, 7.0, out, at)
    out[at] = player.points / 15.0
    out[at + 1] = player.bought / 20.0
    out[at + 2] = player.held / 3.0
    at += 3
    for place in range(HAND):
        unseen = not own and player.unseen >> place & 1 == 1
        at = encode_card(kit, player.hand[place], unseen, out, at)
