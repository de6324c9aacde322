"""The numbered actions of One Card Wonder.

| from     | action                                                                      |
|----------|-----------------------------------------------------------------------------|
| PRODUCE  | draw cubes                                                                  |
| CLAIM    | one of 5 colours from the supply                                            |
| SELL     | cubes of one of 5 colours for a coin                                        |
| USE      | the building in one of 6 slots: a new action, or which ability comes first  |
| STAGE    | build one of 12 stages                                                      |
| BUILD    | build the building in one of 6 slots                                        |
| DONE     | be done with building, selling, taking, pledging, the turn                  |
| PASS     | when nothing else is possible                                               |
| PAY      | one of 6 kinds for what is being paid, or towards the defeat of a leader    |
| SETTLE   | pay the rest as offered                                                     |
| PUT      | a drawn cube of one of 5 colours on the supply                              |
| TAKE     | a cube of one of 5 colours from the supply, then 5 from the bag             |
| SPEND    | one of 6 kinds in an exchange                                               |
| DROP     | one of 6 kinds that the mat has no room for                                 |
| PICK     | the wonder at one of 7 places                                               |
| CHOOSE   | one of 2 mats                                                               |
| REVEAL   | the own leader                                                              |
| GLOBE    | a cube of one of 5 colours from the supply towards the defeat of a leader   |
| NAME     | one of 5 colours                                                            |
| TO       | begin a trade with one of 6 seats                                           |
| GIVE     | offer one more of 6 kinds, then ASK for one more of 6 kinds                 |
| PROPOSE  | the trade; WITHDRAW it                                                      |
| ACCEPT   | the trade of one of 6 seats, then DECLINE                                   |
"""

from __future__ import annotations

from bottega.games.one_card_wonder.state import (
    COLOURS,
    KINDS,
    MOST_SEATS,
    OFFERS,
    SLOTS,
    STAGES,
)

PRODUCE = 0
CLAIM = PRODUCE + 1
SELL = CLAIM + COLOURS
USE = SELL + COLOURS
STAGE = USE + SLOTS
BUILD = STAGE + STAGES
DONE = BUILD + SLOTS
PASS = DONE + 1
PAY = PASS + 1
SETTLE = PAY + KINDS
PUT = SETTLE + 1
TAKE = PUT + COLOURS
TAKE_BAG = TAKE + COLOURS
SPEND = TAKE_BAG + COLOURS
DROP = SPEND + KINDS
PICK = DROP + KINDS
CHOOSE = PICK + OFFERS
REVEAL = CHOOSE + 2
GLOBE = REVEAL + 1
NAME = GLOBE + COLOURS
TO = NAME + COLOURS
GIVE = TO + MOST_SEATS
ASK = GIVE + KINDS
PROPOSE = ASK + KINDS
WITHDRAW = PROPOSE + 1
ACCEPT = WITHDRAW + 1
DECLINE = ACCEPT + MOST_SEATS
ACTIONS = DECLINE + MOST_SEATS
