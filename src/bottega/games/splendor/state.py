"""Splendor: the record of a table and the record of a kit, every field explained once."""

from __future__ import annotations

import numpy as np

from bottega.engine.record import record_type, table_type

GEMS = 5  # white, blue, green, red, black: lanes 0 to 4 of a word
GOLD = 5  # the lane of gold
LEVELS = 3
ROW = 4  # face-up cards a level
PLACES = LEVELS * ROW  # place p of the market is in the row of level p // ROW
HAND = 3  # reserved cards a player may hold
CARDS = 90
NOBLES = 10
MOST_SEATS = 4
MOST_NOBLES = MOST_SEATS + 1
NO_CARD = CARDS  # an empty place; the kit's extra row, too expensive for anybody
NO_NOBLE = NOBLES  # an empty noble place; the kit's extra row, which never comes

# What the seat on turn decides next.
ACT, PAY, GIVE_BACK, WELCOME = 0, 1, 2, 3

PLAYER = record_type(
    [
        ("tokens", np.int64),  # lanes: gems held, and gold
        ("bonuses", np.int64),  # lanes: cards bought, by their gem
        ("hand", np.uint8, HAND),  # reserved cards, packed to the front, then NO_CARD
        ("unseen", np.uint8),  # set of hand places reserved from a deck, unknown to others (S5)
        ("held", np.uint8),  # how many cards are reserved
        ("points", np.uint8),
        ("bought", np.uint8),  # developments bought, the tie-break (S12)
        ("nobles", np.uint16),  # set of nobles that came
        ("cards", np.int64, LEVELS),  # sets of the cards bought, as in `decks`; open to all (S13)
    ]
)

TABLE = table_type(
    [
        ("bank", np.int64),  # lanes: tokens in the bank
        ("decks", np.int64, LEVELS),  # sets of the cards left, bit 0 the level's first card
        ("players", PLAYER, MOST_SEATS),
        ("market", np.uint8, PLACES),  # face-up cards
        ("nobles", np.uint8, MOST_NOBLES),  # nobles not yet won
        ("turn", np.uint8),  # the seat on turn
        ("phase", np.uint8),  # ACT, PAY, GIVE_BACK or WELCOME
        ("last_round", np.uint8),  # somebody reached the goal; the round is played out (S12)
        ("passes", np.uint8),  # passes in this round (S11)
        ("choose_payment", np.uint8),  # the option payment=choice (S7)
        ("buying", np.uint8),  # PAY: the buy action being paid
        ("bill", np.int64),  # PAY: lanes, the payment as chosen so far
    ]
)

KIT = record_type(
    [
        ("cost", np.int64, CARDS + 1),  # lanes
        ("bonus", np.int64, CARDS + 1),  # lanes: one of the card's gem
        ("points", np.uint8, CARDS + 1),
        ("need", np.int64, NOBLES + 1),  # lanes of bonuses
        ("favour", np.uint8, NOBLES + 1),  # points of a noble
        ("first", np.uint8, LEVELS),  # number of the first card of each level
        ("full", np.int64, LEVELS),  # each level's whole deck, as a set
    ]
)
