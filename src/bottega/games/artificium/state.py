"""Artificium: the record of a table and the record of a kit, every field explained once.

Cards of a kind are alike, so every set of cards is a row of counts, one for each kind.
"""

from __future__ import annotations

import numpy as np

from bottega.engine.record import record_type, table_type

KINDS = 18  # kinds of cards: the 16 of the rulebook and room for two of a designer's own
GOODS = 9  # wood, wheat, coal, food, beer, crystal, metal, potion, sword
COIN = GOODS  # among what a card takes and gives
LEVELS = 4
PLACES = 6  # of the card market
SPACES = 128  # of the score track that may hold a resource; the track itself has no end
MOST_SEATS = 6
EVERYBODY = MOST_SEATS  # the row of `known` that holds what everybody knows
NO_CARD = KINDS

# What `sealed` holds: nothing, the kind of a card + 1, or a pass.
OPEN, SEALED_PASS = 0, KINDS + 1

# The phases of a turn.
MARKET, CHOOSE, RESOLVE, WIZARD, TURN_END = 0, 1, 2, 3, 4

# Effects of cards.
NO_EFFECT, EXPLORATION, THEFT, RECONSTRUCTION, FAIR, THE_WIZARD, KNIGHT = 0, 1, 2, 3, 4, 5, 6

PLAYER = record_type(
    [
        # What each seat, and last EVERYBODY, is certain that the hand holds: a count for each
        # kind, three bits each, kind 0 in the lowest (A19).
        ("known", np.int64, MOST_SEATS + 1),
        ("points", np.int16),
        ("coins", np.int16),
        ("purse", np.int16),  # the coins as the others see them: before unconfirmed trade
        ("hand", np.uint8, KINDS),
        # Cards lying in front: resolved this turn, open. At the turn's end: about to be
        # discarded, face down until all are done.
        ("front", np.uint8, KINDS),
        ("buried", np.uint8, KINDS),  # cards of the discards that only this player has seen
        ("goods", np.uint8, GOODS),  # resources on the board
        ("board", np.uint8, GOODS),  # the resources as the others see them
        ("held", np.uint8),  # size of the hand, as everybody sees it
        ("sealed", np.uint8),  # CHOOSE: the choice, unseen by others
        ("card", np.uint8),  # RESOLVE: the card revealed and not yet resolved, or NO_CARD
    ]
)

TABLE = table_type(
    [
        ("players", PLAYER, MOST_SEATS),
        ("deck", np.uint8, KINDS),  # cards left; a draw takes any of them
        ("discards", np.uint8, KINDS),  # discarded in the open; the others are `buried`
        ("market", np.uint8, PLACES),  # kinds, or NO_CARD
        ("left", np.uint8),  # size of the deck
        ("turn", np.uint8),  # 1 to 4
        ("phase", np.uint8),
        ("first", np.uint8),  # the first player
        ("actor", np.uint8),  # the seat that decides in MARKET, RESOLVE and WIZARD
        ("passed", np.uint8),  # set of seats out of the market or of play, or done at turn's end
        ("exchanged", np.uint8),  # set of seats whose free exchange is used this turn
        ("due", np.uint8),  # WIZARD: cards still to be discarded
        ("renewals", np.uint8),  # times that the discards became the deck (A18)
        # RESOLVE: what the actor has sold to and bought from the bank before the card (A6);
        # the actor's business until the decision is complete.
        ("sold", np.uint8, GOODS),
        ("bought", np.uint8, GOODS),
    ]
)

KIT = record_type(
    [
        ("copies", np.uint8, KINDS),
        ("points", np.uint8, KINDS),
        ("takes", np.uint8, (KINDS, GOODS + 1)),  # resources, then coins
        ("gives", np.uint8, (KINDS, GOODS + 1)),
        ("action", np.uint8, KINDS),  # 1: an Action, which resolves before Buildings
        ("effect", np.uint8, KINDS),
        # The numbers of an effect. THEFT: the price of a resource of each level, 0: not
        # to be stolen. FAIR: coins a card. THE_WIZARD: draw, discard. KNIGHT: spaces.
        ("amount", np.uint8, (KINDS, LEVELS)),
        ("order", np.uint8, KINDS),  # kinds from those that need nothing to the last
        ("level", np.uint8, GOODS),  # 0 to 3
        ("buy", np.uint8, GOODS),
        ("sell", np.uint8, GOODS),
        ("space", np.uint8, SPACES),  # the score track: resource + 1, 0: empty
    ]
)
