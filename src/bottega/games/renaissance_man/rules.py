"""Renaissance Man's rules (rulings R1 to R23), compiled.

A decision is a chain of small private steps; it is sealed by its last one, and carried out when
the last seat has decided. The actions, by number:

| from | action                                                                    |
|------|---------------------------------------------------------------------------|
| USE  | an action by a worker of the called level (4 kinds), then by a stored token (4) |
| CARD | the card at one of 8 hand places                                          |
| PLACE | one of the 10 upper places                                               |
| KNIGHT | a knight from one of 4 areas, or from the supply                        |
| DROP | a stored token of one of 4 kinds                                          |
| SET  | the next Foundation card from the left, 5 kinds                           |
| PASS | no action                                                                 |
| TAKE | a recruited card to the hand                                              |
| CONFIRM | seal the decision                                                      |
| DISCARD | one of 16 sets of the first four hand cards, then of the next four      |
| REMOVE | one of 41 sets of workers, with all that rests on them                  |
"""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import bit, count, lowest
from bottega.engine.chance import seed_chance
from bottega.engine.contract import PLACE as STANDING
from bottega.engine.contract import SCORE
from bottega.engine.lanes import at_least, total
from bottega.engine.rule import rule
from bottega.games.renaissance_man.phases import (
    BARTER,
    HIRE,
    RECRUIT,
    TEACH,
    ask,
    draw,
    forget_decision,
    put,
    resolve,
    take_any,
    type_of,
)
from bottega.games.renaissance_man.state import (
    ACTION,
    BASE,
    CREATION,
    DECIDED,
    DISCARDING,
    FOUNDATION,
    HALF,
    HAND,
    KINDS,
    KNIGHTS,
    MOST_STORED,
    NO_CARD,
    NOTHING,
    PLACES,
    READY,
    RESOLUTION,
    ROW,
    SECOND_ROW,
    START,
    SUPPLY,
    TO_HAND,
    UPPER,
    WHICH_CARD,
    WHICH_TARGET,
)
from bottega.games.renaissance_man.structure import (
    FREE,
    LOWEST,
    MASTER,
    REMOVABLE,
    REMOVED,
    fitting,
    provided,
    remaining,
)

USE = 0
USE_TOKEN = USE + KINDS
CARD = USE_TOKEN + KINDS
PLACE = CARD + HAND
KNIGHT = PLACE + UPPER
DROP = KNIGHT + KINDS + 1
SET = DROP + KINDS
PASS = SET + BASE
TAKE = PASS + 1
CONFIRM = TAKE + 1
DISCARD = CONFIRM + 1
DISCARD_MORE = DISCARD + (1 << ROW)
REMOVE = DISCARD_MORE + (1 << ROW)
ACTIONS = REMOVE + len(LOWEST)


# Setting up


@rule
def deal(kit, s, players, seed, options):
    """A fresh table: the recruits lie open, everybody sets a Foundation (R4, R5, R21)."""
    seed_chance(s, seed)
    s.seats = players
    for half in range(2):
        s.deck[half] = bit(HALF) - 1
    if players == 1:
        s.easier = options[0]
        for _ in range(options[1]):
            put(s.discards, take_any(s, s.deck))
    for area in range(KINDS):
        s.recruits[area] = draw(s)
    for seat in range(players):
        player = s.players[seat]
        for place in range(PLACES):
            player.pyramid[place] = NO_CARD
        for place in range(HAND):
            player.hand[place] = NO_CARD
        player.did = NOTHING
        player.played = NO_CARD
        forget_decision(player)
        ask(s, seat)


# What may be done


@rule
def waiting(kit, s):
    """The seats whose decision is not sealed (R6)."""
    return np.int64(0) if s.over else np.int64(s.owing)


@rule
def invited(kit, s):
    """Nobody acts out of turn."""
    return 0


@rule
def legal(kit, s, seat, mask):
    """Fill the mask with the next small steps of a seat's decision."""
    player = s.players[seat]
    mask[0] = 0
    mask[1] = 0
    if player.step == SECOND_ROW:
        sets = np.uint64(some_of(player.held - ROW))
        mask[0] = sets << np.uint64(DISCARD_MORE)
        mask[1] = sets >> np.uint64(64 - DISCARD_MORE)
        return
    mask[0] = steps(kit, s, player)
    if player.step == START and player.removed == 0 and player.upper & MASTER == 0:  # R23
        mask[1] = np.uint64(REMOVABLE[player.upper]) << np.uint64(REMOVE - 64)


@rule
def steps(kit, s, player):
    """The legal steps as a set, apart from removals and the second row of discards."""
    if player.step == READY:
        return bit(CONFIRM)
    if player.step == WHICH_CARD:
        return usable_cards(kit, player) << CARD
    if player.step == WHICH_TARGET:
        return targets(kit, player)
    if s.phase == ACTION:
        return uses(kit, player, s.level) | bit(PASS)
    if s.phase == CREATION:
        return FREE[remaining(player)] << PLACE
    if s.phase == RESOLUTION:
        return fitting(kit, player, s.recruits[s.area]) << PLACE | bit(TAKE)
    if s.phase == DISCARDING:
        return some_of(player.held) << DISCARD
    return foundation_left(player) << SET


@rule
def some_of(cards):
    """Every set of so many cards, four at most: a set of sets."""
    return bit(bit(min(np.int64(cards), ROW))) - 1


@rule
def foundation_left(player):
    """The Foundation cards that are not yet in the row (R4)."""
    left = bit(BASE) - 1
    for place in range(player.target):
        left ^= bit(player.pyramid[place] - FOUNDATION)
    return left


@rule
def uses(kit, player, level):
    """Actions by uncovered workers of the called level and by stored tokens (R6, R7)."""
    possible = playable(kit, player)
    return (provided(kit, player, level) & possible) << USE | (
        at_least(player.store, 1) & possible
    ) << USE_TOKEN


@rule
def playable(kit, player):
    """The kinds of action for which the hand has a card."""
    kinds = 0
    fits = 0
    for place in range(player.held):
        kinds |= bit(kit.kind[player.hand[place]])
        fits |= fitting(kit, player, player.hand[place])
    return (
        (fits != 0) << HIRE
        | (kinds & ~np.int64(player.taught) != 0) << TEACH
        | (kinds != 0) << BARTER
        | (kinds != 0) << RECRUIT
    )


@rule
def usable_cards(kit, player):
    """The hand places whose card serves the chosen use."""
    kind = type_of(player.use)
    cards = 0
    for place in range(player.held):
        card = player.hand[place]
        serves = True
        if kind == HIRE:
            serves = fitting(kit, player, card) != 0
        elif kind == TEACH:  # R9
            serves = np.int64(player.taught) >> kit.kind[card] & 1 == 0
        cards |= np.int64(serves) << place
    return cards


@rule
def targets(kit, player):
    """What the chosen use still asks for: a place, a knight (R11), or a token to drop."""
    kind = type_of(player.use)
    if kind == HIRE:
        return fitting(kit, player, player.hand[player.card]) << PLACE
    if kind == BARTER:
        return at_least(player.store, 1) << DROP
    return at_least(player.knights, 1) << KNIGHT | np.int64(total(player.knights) < KNIGHTS) << (
        KNIGHT + SUPPLY
    )


# Deciding


@rule
def play(kit, s, seat, action):
    """Take one small step; when the last seat has decided, everything happens together (R6)."""
    player = s.players[seat]
    choose(kit, s, player, action)
    if player.step == DECIDED:
        s.turns += 1
        s.owing &= ~bit(seat)
        resolve(kit, s)


@rule
def choose(kit, s, player, action):
    """One step of a decision. Only the player's own decision changes."""
    if action < CARD:
        player.use = action - USE
        player.step = WHICH_CARD
    elif action < PLACE:
        player.card = action - CARD
        choose_card(player)
    elif action < KNIGHT:
        player.target = action - PLACE
        player.step = READY
    elif action < DROP:
        player.target = action - KNIGHT
        player.step = READY
    elif action < SET:
        player.target = action - DROP
        player.step = READY
    elif action < PASS:
        set_foundation(player, action - SET)
    elif action < DISCARD:  # PASS, TAKE, CONFIRM
        if action == TAKE:
            player.target = TO_HAND
        player.step = DECIDED
    elif action < DISCARD_MORE:
        player.dropped = action - DISCARD
        player.step = SECOND_ROW if player.held > ROW else DECIDED
    elif action < REMOVE:
        player.dropped |= (action - DISCARD_MORE) << ROW
        player.step = DECIDED
    else:
        player.removed = REMOVED[action - REMOVE] & np.int64(player.upper)


@rule
def choose_card(player):
    """After the card: what is still open? A knight only if some are on the board (R11); a token
    to drop only if the store is full (R6), which it is not if the source was a token (R8)."""
    kind = type_of(player.use)
    player.step = READY
    player.target = SUPPLY
    if (
        kind == HIRE
        or (kind == RECRUIT and player.knights != 0)
        or (player.use == BARTER and total(player.store) == MOST_STORED)
    ):
        player.step = WHICH_TARGET


@rule
def set_foundation(player, kind):
    """Put the next Foundation card into the row; the last one goes by itself (R4)."""
    player.pyramid[player.target] = FOUNDATION + kind
    player.target += 1
    if player.target == BASE - 1:
        player.pyramid[BASE - 1] = FOUNDATION + lowest(foundation_left(player))
        player.target = BASE
        player.step = READY


# The end


@rule
def result(kit, s, out):
    """Most workers, and among those with a Master the tie-break (R18); all others alike. A solo
    player who ran out of cards has lost (R21)."""
    for seat in range(s.seats):
        out[seat, SCORE] = BASE + count(s.players[seat].upper)
        out[seat, STANDING] = 1 + s.lost
        for other in range(s.seats):
            out[seat, STANDING] += standing(s.players[other]) > standing(s.players[seat])


@rule
def standing(player):
    """Workers, then what R18 adds up, as one number."""
    in_play = total(player.store) + count(player.taught) + total(player.knights)
    return 64 * count(player.upper) + in_play
