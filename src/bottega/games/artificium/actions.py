"""Artificium's actions, by number:

| from     | action                                                                     |
|----------|----------------------------------------------------------------------------|
| RESOLVE  | resolve the revealed card, where no target is to be chosen                 |
| DISCARD  | discard it                                                                 |
| BACK     | take it back and pass                                                      |
| PASS     | at the market, or instead of choosing a card                               |
| DONE     | complete the turn's end                                                    |
| REDRAW   | discard the whole hand and draw five instead of the free exchange          |
| AGAINST  | resolve Exploration or the Knight against one of 6 seats                   |
| STEAL    | resolve Theft: one of 9 resources from one of 6 seats, the seats together  |
| RETURN   | resolve Reconstruction: one of 18 kinds returns to the hand                |
| PLAY     | choose a card of one of 18 kinds for this step                             |
| THROW    | discard a card of one of 18 kinds: the Wizard's, or at the turn's end      |
| SELL     | one of 9 resources                                                         |
| BUY      | one of 9 resources                                                         |
| EXCHANGE | give a card of one of 18 kinds for that at one of 6 places of the market   |
"""

from __future__ import annotations

from bottega.games.artificium.state import GOODS, KINDS, MOST_SEATS, PLACES

RESOLVE, DISCARD, BACK, PASS, DONE, REDRAW = 0, 1, 2, 3, 4, 5
AGAINST = REDRAW + 1
STEAL = AGAINST + MOST_SEATS
RETURN = STEAL + GOODS * MOST_SEATS
PLAY = RETURN + KINDS
THROW = PLAY + KINDS
SELL = THROW + KINDS
BUY = SELL + GOODS
EXCHANGE = BUY + GOODS
ACTIONS = EXCHANGE + KINDS * PLACES
