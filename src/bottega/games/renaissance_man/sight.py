"""What a seat of Renaissance Man may know (R20).

Hidden are the hands of others, what is in the deck and in the discard pile, what lies face down
as a Renaissance Man, and every decision before its reveal. That somebody has decided is open.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bottega.engine.bits import bit, count
from bottega.engine.chance import below, pick, seed_chance
from bottega.engine.kit import Kit
from bottega.engine.lanes import lane, unpack
from bottega.engine.numbers import clear, mark, write_lanes, write_set
from bottega.engine.rule import rule
from bottega.games.renaissance_man.phases import (
    HIRE,
    forget_decision,
    put,
    size,
    take_any,
    type_of,
)
from bottega.games.renaissance_man.rules import choose, steps
from bottega.games.renaissance_man.state import (
    ACTION,
    BASE,
    CARDS,
    DECIDED,
    DISCARDING,
    HAND,
    IDLE,
    KINDS,
    KNIGHTS,
    LEVELS,
    MOST_SEATS,
    NO_CARD,
    NO_KIND,
    NOTHING,
    PLACES,
    READY,
    RESOLUTION,
    SETTING,
    START,
    UPPER,
    WHICH_CARD,
)
from bottega.games.renaissance_man.structure import (
    FIRST,
    FREE,
    LEFT,
    UNCOVERED,
)

ICONS_OF = ("coin", "book", "bread", "shield")
WORKERS = ("Merchant", "Scholar", "Baker", "Knight", "Renaissance Man")
TYPES = ("hire", "teach", "barter", "recruit")
PHASES = ("foundation", "action", "creation", "recruits", "discard")
STEPS = ("idle", "start", "card", "target", "second row", "ready", "decided")


@rule
def conceal(kit, s, seat, seed):
    """A fair sample of all cards that lie hidden. What others only began is taken back; what
    they sealed becomes some decision without removals."""
    discarded = size(s.discards)
    face_down = size(s.face_down)
    gather(s, s.discards)
    gather(s, s.face_down)
    for other in range(s.seats):
        if other != seat:
            forget(s, s.players[other])
    seed_chance(s, seed)
    for other in range(s.seats):
        if other != seat:
            redraw_hand(s, s.players[other])
    scatter(s, s.face_down, face_down)
    scatter(s, s.discards, discarded)
    for other in range(s.seats):
        if other != seat and s.players[other].step == DECIDED:
            imagine_decision(kit, s, s.players[other])


@rule
def gather(s, pile):
    """Put a pile back into the deck."""
    for half in range(2):
        s.deck[half] |= pile[half]
        pile[half] = 0


@rule
def scatter(s, pile, cards):
    """Fill an empty pile with so many cards of the deck."""
    left = size(s.deck) - cards
    if cards <= left:
        for _ in range(cards):
            put(pile, take_any(s, s.deck))
        return
    # The same, from the smaller side.
    for half in range(2):
        pile[half] = s.deck[half]
        s.deck[half] = 0
    for _ in range(left):
        put(s.deck, take_any(s, pile))


@rule
def forget(s, player):
    """Put a hand back into the deck and take back what is private. What stays is how many cards
    the hand has, and whether something is owed or sealed."""
    for place in range(player.held):
        put(s.deck, player.hand[place])
    if s.phase == SETTING:
        for place in range(BASE):
            player.pyramid[place] = NO_CARD
    step = player.step
    forget_decision(player)
    if step != IDLE:
        player.step = DECIDED if step == DECIDED else START


@rule
def redraw_hand(s, player):
    """As many cards as there were."""
    for place in range(player.held):
        player.hand[place] = take_any(s, s.deck)


@rule
def imagine_decision(kit, s, player):
    """Some decision that the player might have sealed."""
    if s.phase == DISCARDING:
        player.dropped = below(s, bit(player.held))
        return
    player.step = START
    while player.step != DECIDED:
        choose(kit, s, player, pick(s, steps(kit, s, player)))


# What a seat sees, as a plain value


def _place_name(place: int) -> str:
    level = max(n for n in range(LEVELS) if FIRST[n] <= place)
    return f"{level + 1}{'abcde'[place - FIRST[level]]}"


PLACE_NAMES = tuple(_place_name(place) for place in range(PLACES))


def place_name(place: int) -> str:
    """A place of a structure: its level, then a letter from the left."""
    return PLACE_NAMES[place]


def kinds_in(word: int) -> list[str]:
    """A set of kinds by name."""
    return [ICONS_OF[kind] for kind in range(KINDS) if int(word) >> kind & 1]


def view(kit: Kit, s: Any, viewer: int) -> dict[str, Any]:
    """The table as the viewer sees it. Cards carry what is printed on them."""
    return {
        "kit": {"name": kit.name, "title": kit.title, "origin": kit.origin},
        "round": int(s.rounds),
        "phase": PHASES[s.phase],
        "goal": goal_view(s),
        "level": int(s.level),
        "area": ICONS_OF[s.area] if s.phase == RESOLUTION and s.area < KINDS else None,
        "recruits": [area_view(kit, s, area, viewer) for area in range(KINDS)],
        "deck": int(size(s.deck)),
        "discards": int(size(s.discards)),
        "solo": {"easier": int(s.easier), "lost": bool(s.lost)} if s.seats == 1 else None,
        "players": [player_view(kit, s, seat, viewer) for seat in range(s.seats)],
    }


def goal_view(s: Any) -> dict[str, Any]:
    """What one plays for, and how far everybody is (R18)."""
    workers = [BASE + int(count(s.players[seat].upper)) for seat in range(s.seats)]
    said = [f"{number} of {PLACES} workers" for number in workers]
    return {"text": "First with a Master", "most": PLACES, "reached": workers, "said": said}


def face(components: Any, card: int) -> dict[str, Any]:
    """What is printed on a card. A Renaissance Man needs and offers anything; what lies face
    down as one, nobody knows."""
    kind = int(components.kind[card])
    return {
        "id": card if card < CARDS else None,
        "kind": ICONS_OF[kind] if kind != NO_KIND else None,
        "worker": WORKERS[kind],
        "need": [corner(components.need_left[card]), corner(components.need_right[card])],
        "offer": [corner(components.offer_left[card]), corner(components.offer_right[card])],
    }


def corner(kinds: int) -> str | None:
    """The icon in a corner, `any`, or nothing."""
    names = kinds_in(kinds)
    if len(names) == KINDS:
        return "any"
    return names[0] if names else None


def card_view(kit: Kit, card: int) -> dict[str, Any] | None:
    """A card face up, if there is one; a value of its own."""
    if card == NO_CARD:
        return None
    printed = kit.words["faces"][card]
    return {**printed, "need": [*printed["need"]], "offer": [*printed["offer"]]}


def area_view(kit: Kit, s: Any, area: int, viewer: int) -> dict[str, Any]:
    """An area of the recruit board: its card, where it fits the viewer, everybody's knights."""
    fits = []
    if viewer >= 0 and s.phase != SETTING:
        fits = fitting_places(kit, s.players[viewer], s.recruits[area])
    return {
        "kind": ICONS_OF[area],
        "card": card_view(kit, s.recruits[area]),
        "fits": [place_name(BASE + place) for place in fits],
        "knights": [int(lane(s.players[seat].knights, area)) for seat in range(s.seats)],
        "rival": int(opposing(s, area)),
    }


def player_view(kit: Kit, s: Any, seat: int, viewer: int) -> dict[str, Any]:
    """A player's open things; the hand and the decision under way only for their owner, who also
    sees the structure as the removals under way leave it."""
    player = s.players[seat]
    pyramid = player.pyramid.tolist()
    own = seat == viewer
    filled = int(player.upper) & ~(int(player.removed) if own else 0)
    hidden = s.phase == SETTING and not own
    knights = unpack(player.knights, KINDS)
    return {
        "structure": structure_view(kit, pyramid, 0 if hidden else PLACES, filled),
        "workers": BASE + int(count(player.upper)),
        "gives": [
            [] if s.phase == SETTING else given(kit, pyramid, level, filled)
            for level in range(1, LEVELS)
        ],
        "store": dict(zip(ICONS_OF, unpack(player.store, KINDS), strict=True)),
        "taught": kinds_in(player.taught),
        "knights": dict(zip(ICONS_OF, knights, strict=True)),
        "supply": KNIGHTS - sum(knights),
        "held": int(player.held),
        "hand": hand_view(kit, player) if own else None,
        "decided": bool(player.step == DECIDED),
        "decision": decision_view(s, player) if own and player.step != IDLE else None,
        "latest": use_view(kit, player.did, player.played),
        "discarded": int(player.shed),
    }


def structure_view(kit: Kit, pyramid: list[int], seen: int, filled: int) -> list[dict[str, Any]]:
    """The fifteen places, of which the first `seen` are known; `filled`: a set of upper places.

    A free place *wants* what its supports offer where they touch it (R1).
    """
    free_places, uncovered = int(FREE[filled]), int(UNCOVERED[filled])
    places = []
    for place in range(PLACES):
        there = place < seen and (place < BASE or bool(filled >> (place - BASE) & 1))
        wants = wanted(kit, pyramid, place - BASE) if place >= BASE and seen else [None]
        free = None not in wants and bool(free_places >> (place - BASE) & 1)
        worker = card_view(kit, pyramid[place]) if place < seen else None
        places.append(
            {
                "name": place_name(place),
                "worker": worker,
                "removed": bool(worker) and not there,
                "uncovered": there and bool(worker) and bool(uncovered >> place & 1),
                "free": free,
                "wants": wants if free else None,
            }
        )
    return places


def wanted(kit: Kit, pyramid: list[int], place: int) -> list[str | None]:
    """What the two supports of an upper place offer to it."""
    faces, left = kit.words["faces"], int(LEFT[place])
    return [faces[pyramid[left]]["offer"][1], faces[pyramid[left + 1]]["offer"][0]]


def given(kit: Kit, pyramid: list[int], level: int, filled: int) -> list[dict[str, Any]]:
    """The actions of a level's workers, and whether they are uncovered (R3); `filled`: the set of
    upper places that count."""
    found = []
    for place in range(FIRST[level - 1], FIRST[level]):
        kind = kit.words["faces"][pyramid[place]]["kind"]
        there = place < BASE or filled >> (place - BASE) & 1
        if kind and there:
            found.append(
                {
                    "place": place_name(place),
                    "kind": kind,
                    "type": TYPES[ICONS_OF.index(kind)],
                    "covered": not int(UNCOVERED[filled]) >> place & 1,
                }
            )
    return found


def uncovered_places(filled: int) -> list[str]:
    """The places with an uncovered worker, by the set of filled upper places (R3)."""
    return [place_name(place) for place in range(PLACES) if UNCOVERED[filled] >> place & 1]


def fitting_places(kit: Kit, player: Any, card: int) -> list[int]:
    """The free upper places that a card fits after the removals under way (R1)."""
    free = int(FREE[int(player.upper) & ~int(player.removed)])
    needs, pyramid = kit.words["faces"][card]["need"], player.pyramid.tolist()
    return [
        place
        for place in range(UPPER)
        if free >> place & 1 and all(map(suits, needs, wanted(kit, pyramid, place)))
    ]


def suits(need: str | None, offer: str | None) -> bool:
    """Whether a need is met where two cards touch."""
    return need is not None and offer is not None and (need == offer or "any" in (need, offer))


def hand_view(kit: Kit, player: Any) -> list[dict[str, Any]]:
    """The hand, each card with the places it fits after the removals under way."""
    seen = []
    for place in range(int(player.held)):
        places = fitting_places(kit, player, player.hand[place])
        fits = [place_name(BASE + p) for p in places]
        seen.append({**(card_view(kit, player.hand[place]) or {}), "fits": fits})
    return seen


def use_view(kit: Kit, use: int, card: int) -> dict[str, Any] | None:
    """A revealed action: its type, what gave it, the card."""
    if use == NOTHING:
        return None
    return {
        "type": TYPES[use % KINDS],
        "token": bool(use >= KINDS),
        "card": card_view(kit, card),
    }


def decision_view(s: Any, player: Any) -> dict[str, Any]:
    """The own decision as far as it goes."""
    removed = int(player.removed)
    chosen = player.step > START and player.use != NOTHING
    target = None
    if player.step in (READY, DECIDED) and s.phase != SETTING:
        target = int(player.target)
    return {
        "step": STEPS[player.step],
        "removed": [place_name(BASE + p) for p in range(UPPER) if removed >> p & 1],
        "type": TYPES[player.use % KINDS] if chosen else None,
        "token": bool(chosen and player.use >= KINDS),
        "card": int(player.card) + 1 if chosen and player.step > WHICH_CARD else None,
        "place": place_name(BASE + target)
        if target is not None and s.phase != DISCARDING and target < UPPER and builds(s, player)
        else None,
        "discards": [place + 1 for place in range(HAND) if int(player.dropped) >> place & 1],
    }


def builds(s: Any, player: Any) -> bool:
    """Whether the decision under way puts a worker into the structure."""
    return bool(s.phase != ACTION or (player.use % KINDS == HIRE and player.use != NOTHING))


# What a seat knows, as numbers

CARD_NUMBERS = 1 + 5 * KINDS  # there, kind, needs, offers
WORKER_NUMBERS = 2 + 3 * KINDS  # there, uncovered, kind, offers
PLAYER_NUMBERS = 4 + 5 * KINDS + PLACES * WORKER_NUMBERS
LAYOUT: tuple[tuple[str, int], ...] = (
    ("number of players: one of 1 to 4", MOST_SEATS),
    ("phase: one of foundation, action, creation, recruits, discard", len(PHASES)),
    ("action phase: one of 1 to 4", LEVELS - 1),
    ("area being resolved: one of coin, book, bread, shield", KINDS),
    ("share of the cards in the deck, in the discard pile; solo: cards to come back / 40", 3),
    ("solo: opposing knights in each area / 2", KINDS),
    ("own step: one of idle, start, card, target, second row, ready, decided", len(STEPS)),
    ("own removals under way: 10 upper places", UPPER),
    ("own use under way: 4 kinds by a worker, 4 by a token", 2 * KINDS),
    ("own card under way: 8 hand places", HAND),
    ("own discards under way: 8 hand places", HAND),
    ("own place under way: 10 upper places", UPPER),
    (
        "recruits: 4 cards: there, kind (4), needs (4, 4), offers (4, 4)",
        KINDS * CARD_NUMBERS,
    ),
    ("own hand: 8 cards", HAND * CARD_NUMBERS),
    (
        "4 seats, the own first: there, owes a decision, hand / 8, latest discards / 8, stored "
        "tokens / 4 (4), taught (4), knights in each area / 4 (4), latest use (8), "
        "15 places: there, uncovered, kind (4), offers (4, 4)",
        MOST_SEATS * PLAYER_NUMBERS,
    ),
)
OBSERVATION = sum(size for _, size in LAYOUT)


@rule
def encode(kit, s, seat, out):
    """What the seat knows, in the order of LAYOUT."""
    clear(out, OBSERVATION)
    mark(out, 0, s.seats - 1)
    at = encode_table(s, out, MOST_SEATS)
    at = encode_decision(s, s.players[seat], out, at)
    for area in range(KINDS):
        at = encode_card(kit, s.recruits[area], out, at)
    for place in range(HAND):
        at = encode_card(kit, s.players[seat].hand[place], out, at)
    for offset in range(s.seats):
        encode_player(kit, s, (seat + offset) % s.seats, offset == 0, out, at)
        at += PLAYER_NUMBERS


@rule
def encode_table(s, out, at):
    """What the table is doing; where the next numbers go."""
    mark(out, at, s.phase)
    at += len(PHASES)
    if s.level > 0:
        mark(out, at, s.level - 1)
    at += LEVELS - 1
    if s.phase == RESOLUTION and s.area < KINDS:
        mark(out, at, s.area)
    at += KINDS
    out[at] = size(s.deck) / CARDS
    out[at + 1] = size(s.discards) / CARDS
    out[at + 2] = s.easier / 40.0
    at += 3
    for area in range(KINDS):
        out[at + area] = opposing(s, area) / 2.0
    return at + KINDS


@rule
def opposing(s, area):
    """Solo: the opposing knights in an area, until it is resolved (R21)."""
    return lane(s.rival, area) if s.phase == RESOLUTION and area >= s.area else np.int64(0)


@rule
def encode_decision(s, player, out, at):
    """The own decision as far as it goes; where the next numbers go."""
    mark(out, at, player.step)
    at += len(STEPS)
    at = write_set(player.removed, UPPER, out, at)
    if player.use != NOTHING:
        mark(out, at, player.use)
        if player.step > WHICH_CARD:
            mark(out, at + 2 * KINDS, player.card)
    at += 2 * KINDS + HAND
    at = write_set(player.dropped, HAND, out, at)
    building = s.phase != ACTION or type_of(player.use) == HIRE
    if player.step == READY and s.phase != SETTING and building:
        mark(out, at, player.target)
    return at + UPPER


@rule
def encode_card(kit, card, out, at):
    """What is printed on a card; where the next numbers go."""
    if card != NO_CARD:
        mark(out, at, 0)
        write_set(bit(kit.kind[card]), KINDS, out, at + 1)
        write_set(kit.need_left[card], KINDS, out, at + 1 + KINDS)
        write_set(kit.need_right[card], KINDS, out, at + 1 + 2 * KINDS)
        write_set(kit.offer_left[card], KINDS, out, at + 1 + 3 * KINDS)
        write_set(kit.offer_right[card], KINDS, out, at + 1 + 4 * KINDS)
    return at + CARD_NUMBERS


@rule
def encode_player(kit, s, seat, own, out, at):
    """A player's open things; a Foundation only when it is known (R4)."""
    player = s.players[seat]
    out[at] = 1.0
    out[at + 1] = np.int64(s.owing) >> seat & 1
    out[at + 2] = player.held / HAND
    out[at + 3] = player.shed / HAND
    at += 4
    write_lanes(player.store, KINDS, 4.0, out, at)
    write_set(player.taught, KINDS, out, at + KINDS)
    write_lanes(player.knights, KINDS, 4.0, out, at + 2 * KINDS)
    at += 3 * KINDS
    if player.did != NOTHING:
        mark(out, at, player.did)
    at += 2 * KINDS
    if not own and s.phase == SETTING:
        return
    uncovered = UNCOVERED[player.upper]
    for place in range(PLACES):
        worker = player.pyramid[place]
        if worker != NO_CARD:
            mark(out, at, 0)
            out[at + 1] = uncovered >> place & 1
            write_set(bit(kit.kind[worker]), KINDS, out, at + 2)
            write_set(kit.offer_left[worker], KINDS, out, at + 2 + KINDS)
            write_set(kit.offer_right[worker], KINDS, out, at + 2 + 2 * KINDS)
        at += WORKER_NUMBERS
