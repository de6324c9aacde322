"""What happens by itself once everybody has decided: reveals, recruits, discards and draws.

Compiled, like the rules, of which this is a part.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from bottega.engine.bits import bit, count, lowest, nth
from bottega.engine.chance import below
from bottega.engine.lanes import lane, one, total
from bottega.engine.record import ENDED
from bottega.engine.rule import rule
from bottega.games.renaissance_man.state import (
    ACTION,
    BASE,
    CREATION,
    DECIDED,
    DISCARDING,
    HALF,
    HAND,
    IDLE,
    KINDS,
    LEVELS,
    MOST_SEATS,
    MOST_STORED,
    NO_CARD,
    NOTHING,
    REFILL,
    RENAISSANCE_MAN,
    RESOLUTION,
    SETTING,
    START,
    SUPPLY,
    TO_HAND,
)
from bottega.games.renaissance_man.structure import (
    EVERY_KIND,
    LEVEL_SETS,
    MASTER,
    build,
    could_join,
    remaining,
)

# The four types of action, numbered as the icon that gives access to them.
HIRE, TEACH, BARTER, RECRUIT = range(KINDS)
FLIPS = 2  # cards turned over for the opposing knights (R21)
RIVAL = MOST_SEATS  # who wins an area, beside the seats: the opposing knights
NOBODY = MOST_SEATS + 1


# Sets of cards


@rule
def size(pile):
    """How many cards a pile has."""
    return count(pile[0]) + count(pile[1])


@rule
def put(pile, card):
    """Add a card to a pile."""
    half = np.int64(card >= HALF)
    pile[half] |= bit(card - HALF * half)


@rule
def take_any(s, pile):
    """Take a random card from a pile that is not empty."""
    n = below(s, size(pile))
    first = count(pile[0])
    half = np.int64(n >= first)
    card = nth(pile[half], n - half * first)
    pile[half] ^= bit(card)
    return card + HALF * half


@rule
def draw(s):
    """The top card of the deck: any card left in it. NO_CARD if there is none (R17, R21)."""
    if size(s.deck) == 0:
        renew_deck(s)
    if size(s.deck) == 0:
        return np.int64(NO_CARD)
    return take_any(s, s.deck)


@rule
def renew_deck(s):
    """The discards become the deck (R17); alone, some of them once, and then it is lost (R21)."""
    if s.seats > 1:
        for half in range(2):
            s.deck[half] = s.discards[half]
            s.discards[half] = 0
    else:
        for _ in range(min(np.int64(s.easier), size(s.discards))):
            put(s.deck, take_any(s, s.discards))
        s.easier = 0
        if size(s.deck) == 0:
            s.lost = 1
            s.over = ENDED
    s.renewals += size(s.deck) > 0


# Who decides


@rule
def ask(s, seat):
    """A seat owes a decision."""
    s.owing |= bit(seat)
    s.players[seat].step = START


@rule
def forget_decision(player):
    """Nothing is decided."""
    player.step = IDLE
    player.removed = 0
    player.use = NOTHING
    player.card = 0
    player.target = 0
    player.dropped = 0


# Everything happens together


@rule
def resolve(kit, s):
    """Go on until somebody owes a decision or the game is over."""
    while s.owing == 0 and s.over == 0:
        if s.phase == SETTING:
            reveal_foundations(s)
        elif s.phase == ACTION:
            reveal_actions(kit, s)
        elif s.phase == CREATION:
            place_renaissance_men(kit, s)
        elif s.phase == RESOLUTION:
            resolve_area(kit, s)
        else:
            discard_and_refill(s)


@rule
def reveal(s):
    """Sealed decisions come to light. Alone, there is nobody to whom they were hidden."""
    s.shown += s.seats > 1


@rule
def reveal_foundations(s):
    """All rows are shown; then the hands are dealt (R4)."""
    reveal(s)
    for seat in range(s.seats):
        forget_decision(s.players[seat])
    refill_hands(s)
    begin_round(s)


@rule
def begin_round(s):
    """The first action phase is always called."""
    s.rounds += 1
    call_phase(s, 1)


@rule
def call_phase(s, level):
    """Everyone takes part (R12), unless nothing at all could be done."""
    s.phase = ACTION
    s.level = level
    for seat in range(s.seats):
        player = s.players[seat]
        if player.upper != 0 or (player.held > 0 and (level == 1 or player.store != 0)):
            ask(s, seat)


@rule
def reveal_actions(kit, s):
    """Carry out all decisions; then Renaissance Men are created, or the phase ends (R6, R9)."""
    reveal(s)
    for seat in range(s.seats):
        player = s.players[seat]
        remove_workers(s, player)
        act(kit, s, player)
        forget_decision(player)
    s.phase = CREATION
    for seat in range(s.seats):
        if s.players[seat].taught == EVERY_KIND:
            create_renaissance_man(s, seat)
    if s.owing == 0:
        end_phase(kit, s)


@rule
def remove_workers(s, player):
    """Removed workers go to the discard pile (R16)."""
    leaving = np.int64(player.removed)
    player.upper = remaining(player)
    while leaving:
        place = BASE + lowest(leaving)
        leaving &= leaving - 1
        card = np.int64(player.pyramid[place])
        if card == RENAISSANCE_MAN:
            card = take_any(s, s.face_down)  # R10
        put(s.discards, card)
        player.pyramid[place] = NO_CARD


@rule
def act(kit, s, player):
    """The revealed action."""
    player.did = player.use
    player.played = NO_CARD
    if player.use == NOTHING:
        return
    kind = type_of(player.use)
    if player.use >= KINDS:
        player.store -= one(kind)  # R8
    card = leave_hand(player, np.int64(player.card))
    player.played = card
    if kind == HIRE:
        build(player, player.target, card)
        return
    put(s.discards, card)
    gained = np.int64(kit.kind[card])
    if kind == TEACH:
        player.taught |= bit(gained)
    elif kind == BARTER:
        barter(player, gained)
    else:
        recruit(player, gained)


@rule
def type_of(use):
    """The type of action, by whatever source."""
    return np.int64(use) & (KINDS - 1)


@rule
def leave_hand(player, place):
    """Take a card out of the hand and close the gap."""
    card = np.int64(player.hand[place])
    for later in range(place, HAND - 1):
        player.hand[later] = player.hand[later + 1]
    player.hand[HAND - 1] = NO_CARD
    player.held -= 1
    return card


@rule
def barter(player, gained):
    """A token into the store; a full store first loses the one chosen."""
    if total(player.store) == MOST_STORED:
        player.store -= one(np.int64(player.target))
    player.store += one(gained)


@rule
def recruit(player, area):
    """A knight to the area, from the supply or from another area (R11)."""
    if player.target != SUPPLY:
        player.knights -= one(np.int64(player.target))
    player.knights += one(area)


@rule
def create_renaissance_man(s, seat):
    """Four different tokens become a face-down card, to be placed at once (R9, R10)."""
    s.players[seat].taught = 0
    card = draw(s)
    if card != NO_CARD:
        put(s.face_down, card)
        ask(s, seat)


@rule
def place_renaissance_men(kit, s):
    """All players concerned place theirs together (R9)."""
    reveal(s)
    for seat in range(s.seats):
        player = s.players[seat]
        if player.step == DECIDED:
            remove_workers(s, player)
            build(player, player.target, RENAISSANCE_MAN)
            forget_decision(player)
    end_phase(kit, s)


@rule
def end_phase(kit, s):
    """A Master ends the game (R18); else the next phase if somebody has its level (R12)."""
    if s.over or end_with_master(s):
        return
    level = np.int64(s.level)
    anybody = 0
    for seat in range(s.seats):
        anybody |= np.int64(s.players[seat].upper)
    if level < LEVELS - 1 and anybody & LEVEL_SETS[level]:
        call_phase(s, level + 1)
    else:
        s.phase = RESOLUTION
        s.area = 0
        if s.seats == 1:
            opposing_knights_come(kit, s)


@rule
def end_with_master(s):
    """Whether the game is over because somebody has a Master (R18)."""
    for seat in range(s.seats):
        if s.players[seat].upper & MASTER:
            s.over = ENDED
    return s.over == ENDED


# Resolving recruits


@rule
def opposing_knights_come(kit, s):
    """Alone: each of two cards turned over sends an opposing knight to its area (R21)."""
    s.rival = 0
    for _ in range(FLIPS):
        card = draw(s)
        if card != NO_CARD:
            put(s.discards, card)
            s.rival += one(np.int64(kit.kind[card]))


@rule
def resolve_area(kit, s):
    """One area: who has the majority gets the card (R13, R14); then the next one."""
    area = np.int64(s.area)
    winner = majority(s, area)
    if winner < MOST_SEATS:
        player = s.players[winner]
        # Under a Master no place is free, and none becomes so (R23).
        chooses = player.step == IDLE and player.upper & MASTER == 0
        if chooses and could_join(kit, player, s.recruits[area]):
            ask(s, winner)
            return
        gain_recruit(s, player, area)
    elif winner == RIVAL:
        put(s.discards, s.recruits[area])
        s.recruits[area] = NO_CARD
    if winner != NOBODY or s.seats == 1:  # alone, not even tied knights stay (R21)
        knights_go_home(s, area)
    s.area += 1
    if s.area == KINDS and not end_with_master(s):
        begin_discards(s)


@rule
def majority(s, area):
    """Who has more knights in an area than any other: a seat, RIVAL or NOBODY (R13)."""
    most = lane(s.rival, area) if s.seats == 1 else 0
    winner = RIVAL if most > 0 else NOBODY
    for seat in range(s.seats):
        knights = lane(s.players[seat].knights, area)
        if knights > most:
            most = knights
            winner = np.int64(seat)
        elif knights == most:
            winner = NOBODY
    return winner


@rule
def gain_recruit(s, player, area):
    """A recruit joins the structure or the hand (R14)."""
    card = np.int64(s.recruits[area])
    s.recruits[area] = NO_CARD
    remove_workers(s, player)
    if player.step == DECIDED and player.target != TO_HAND:
        build(player, player.target, card)
    else:
        player.hand[player.held] = card
        player.held += 1
    forget_decision(player)


@rule
def knights_go_home(s, area):
    """All knights leave an area."""
    for seat in range(s.seats):
        player = s.players[seat]
        player.knights -= lane(player.knights, area) * one(area)


# Discards and refill


@rule
def begin_discards(s):
    """Everybody who has cards may discard some (R15)."""
    s.phase = DISCARDING
    for seat in range(s.seats):
        if s.players[seat].held > 0:
            ask(s, seat)


@rule
def discard_and_refill(s):
    """The discards, then the recruits from the left, then the hands (R15); a new round."""
    reveal(s)
    for seat in range(s.seats):
        player = s.players[seat]
        remove_workers(s, player)
        player.shed = count(player.dropped)
        for place in range(HAND - 1, -1, -1):
            if np.int64(player.dropped) >> place & 1:
                put(s.discards, leave_hand(player, place))
        forget_decision(player)
    for area in range(KINDS):
        if s.recruits[area] == NO_CARD:
            s.recruits[area] = draw(s)
    refill_hands(s)
    begin_round(s)


@rule
def refill_hands(s):
    """Hands up to four cards, from the left of the dealer on, who is seat 0 (R15, R22)."""
    for turn in range(s.seats):
        player = s.players[(turn + 1) % s.seats]
        while player.held < REFILL:
            card = draw(s)
            if card == NO_CARD:
                return
            player.hand[player.held] = card
            player.held += 1
