"""The games as environments for research: batches, PettingZoo, Gymnasium, OpenSpiel.

The same rules behind each of them. What they have in common:

- One seat is asked at a time. Where several owe a decision at once, they are asked in the order
  of the seats; what they choose is sealed, so nobody knows more for being asked later.
- A table that reaches its limit of decisions is truncated.
- Rewards come at the end: the winners share 1, the others share -1, a tie of all and an
  unfinished table give 0 to everybody. They add up to 0, but for a solo player: 1 or -1.
"""

from __future__ import annotations

# Decisions after which a table ends, unless another limit is asked for: far beyond any game
# that is meant to end. Play at random need not ever finish a pyramid or a wonder.
LIMIT = 10_000

# No number of an observation leaves -BOUND to BOUND. Most are from 0 to 1, and a test watches.
BOUND = 16.0
