"""What is different on a GPU: which table is a thread's, and two kernels of their own.

`cuda.py` compiles them, and the loops of `loops.py`, for each game, with the game's own rules as
device functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from bottega.engine.bits import allowed
from bottega.engine.chance import seed_chance
from bottega.engine.compile import per_game
from bottega.engine.contract import legal
from bottega.engine.loops import CHOOSER, any_action, begin, decide, next_seat, note

# Of the game for which a kernel is compiled; filled in by `cuda.py`.
TABLE: Any = None  # the type of a table
WORDS = 0  # of a mask
SEATS = 0  # at most


@per_game
def first():
    """The table of this thread."""
    return cuda.grid(1)


@per_game
def behind_last(number):
    """The end of what is this thread's: one table, or nothing where there are more threads."""
    return min(cuda.grid(1) + 1, number)


@per_game
def unpack_kernel(masks, flags):
    """A thread for each truth value, so that neighbours write side by side."""
    i = cuda.grid(1)
    actions = flags.shape[1]
    if i < flags.shape[0] * actions:
        flags[i // actions, i % actions] = allowed(masks[i // actions], i % actions)


@per_game
def playout_kernel(
    kits, blank, options, players, seed, limit, taken, places, scores, lengths, ends
):
    """Whole games of random legal play, as in `engine.loops.playouts`.

    Each thread takes the next game that nobody has taken (`taken[0]` counts them) until there
    is none. Playing and dealing are one loop, so that threads that deal do not wait for others
    to finish their games.
    """
    kit = kits[0]
    tables = cuda.local.array(1, TABLE)
    choosers = cuda.local.array(1, CHOOSER)
    mask = cuda.local.array(WORDS, np.uint64)
    standing = cuda.local.array((SEATS, 2), np.int64)
    s = tables[0]
    chooser = choosers[0]
    g = -1
    s.over = 1
    while True:
        if s.over != 0:
            if g >= 0:
                note(kit, s, standing, g, places, scores, lengths, ends)
            g = cuda.atomic.add(taken, 0, 1)
            if g >= lengths.shape[0]:
                return
            begin(kit, tables, 0, blank, players, seed + np.uint64(g), options, limit)
            seed_chance(chooser, ~(seed + np.uint64(g)))
        seat = next_seat(kit, s, chooser)
        legal(kit, s, seat, mask)
        decide(kit, s, seat, any_action(mask, chooser))
