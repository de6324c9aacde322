"""Renaissance Man: the record of a table and the record of a kit, every field explained once.

A structure has fifteen places: 0 to 4 are Level One from left to right, 5 to 8 Level Two, 9 to 11
Level Three, 12 and 13 Level Four, 14 the Master's (R2). The ten *upper places* are those above the
Foundation, counted from 0: upper place p is place 5 + p.
"""

from __future__ import annotations

import numpy as np

from bottega.engine.record import record_type, table_type

KINDS = 4  # coin, book, bread, shield: of workers, tokens, actions and recruit areas alike
NO_KIND = KINDS  # the large icon of a Renaissance Man: none
LEVELS = 5
BASE = 5  # places of Level One
PLACES = 15
UPPER = PLACES - BASE
MOST_SEATS = 4

CARDS = 96
HALF = CARDS // 2  # a set of cards is two words, HALF cards each
FOUNDATION = CARDS  # the first of the Foundation workers, coin to shield, of everybody alike
RENAISSANCE_MAN = FOUNDATION + KINDS  # of the Foundation, or a face-down card
NO_CARD = RENAISSANCE_MAN + 1  # an empty place: offers and needs nothing, so it fits nowhere

HAND = 8  # at most: a refill gives up to 4, and only the 4 knights on the board bring more
REFILL = 4
ROW = 4  # hand places that one action of the discard phase is about
MOST_STORED = 4
KNIGHTS = 4  # of each player
SUPPLY = KINDS  # as a target: a knight that is not on the recruit board
TO_HAND = UPPER  # as a target: a recruited card goes to the hand
NOTHING = 2 * KINDS  # as a use: no action

# What the table is doing.
SETTING, ACTION, CREATION, RESOLUTION, DISCARDING = range(5)

# Where a seat is in its chain of small decisions. IDLE: it owes nothing; DECIDED: it is sealed.
IDLE, START, WHICH_CARD, WHICH_TARGET, SECOND_ROW, READY, DECIDED = range(7)

PLAYER = record_type(
    [
        ("store", np.int64),  # lanes: Stored Actions by kind
        ("knights", np.int64),  # lanes: knights on the recruit board, by area
        ("upper", np.uint16),  # set of the upper places that are filled
        ("pyramid", np.uint8, PLACES),  # the worker at each place, or NO_CARD
        ("hand", np.uint8, HAND),  # cards, packed to the front, then NO_CARD
        ("held", np.uint8),  # how many cards the hand has
        ("taught", np.uint8),  # set of kinds in the Renaissance Man area
        ("did", np.uint8),  # the use that was revealed last, or NOTHING
        ("played", np.uint8),  # the card of that use, or NO_CARD
        ("shed", np.uint8),  # how many cards the player discarded in the latest discard phase
        # The decision under way, private until the reveal:
        ("step", np.uint8),  # IDLE to DECIDED
        ("removed", np.uint16),  # set of the upper places whose workers leave first (R16)
        ("use", np.uint8),  # the kind of action by a worker, + KINDS if by a stored token
        ("card", np.uint8),  # the hand place of the card
        ("target", np.uint8),  # upper place, area or SUPPLY, kind to drop, or TO_HAND; while
        # SETTING: how many Foundation cards lie in the row
        ("dropped", np.uint8),  # set of hand places to discard (R15)
    ]
)

TABLE = table_type(
    [
        ("deck", np.int64, 2),  # set of the cards left to draw
        ("discards", np.int64, 2),  # set of the cards in the discard pile
        ("face_down", np.int64, 2),  # set of the cards that lie as Renaissance Men; nobody knows
        # which is which, so that is only settled when one of them is removed (R10)
        ("rival", np.int64),  # solo: lanes, the opposing knights that came to each area last; an
        # area that is resolved has sent them home, like all others (R21)
        ("players", PLAYER, MOST_SEATS),
        ("recruits", np.uint8, KINDS),  # the card in each area of the recruit board
        ("phase", np.uint8),  # SETTING to DISCARDING
        ("level", np.uint8),  # ACTION and CREATION: the phase that was called, 1 to 4
        ("area", np.uint8),  # RESOLUTION: the area being resolved
        ("owing", np.uint8),  # set of the seats that owe a decision
        ("rounds", np.uint16),  # begun so far
        ("renewals", np.uint16),  # times that discards became the deck (R17, R21)
        ("easier", np.uint8),  # solo: discards that may still become a new deck, once (R21)
        ("lost", np.uint8),  # solo: a card had to be drawn and there was none (R21)
    ]
)

# Offers and needs are sets of kinds; a need is met when it shares a kind with the offer (R1).
KIT = record_type(
    [
        ("kind", np.uint8, NO_CARD + 1),  # the large icon, or NO_KIND
        ("need_left", np.uint8, NO_CARD + 1),
        ("need_right", np.uint8, NO_CARD + 1),
        ("offer_left", np.uint8, NO_CARD + 1),
        ("offer_right", np.uint8, NO_CARD + 1),
        # How many of the 96 cards fit between an offer from the left and one from the right,
        # by 16 * left + right; for the judge.
        ("fits", np.uint8, 256),
    ]
)
