"""The kernels of a GPU: thread i does for table i what a loop of `loops.py` does on a CPU core.

`cuda.py` compiles them for each game, with the game's own rules as device functions.
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
from bottega.envs.loops import appraise, choose, observe, step

# Of the game for which a kernel is compiled; filled in by `cuda.py`.
TABLE: Any = None  # the type of a table
WORDS = 0  # of a mask
SEATS = 0  # at most


@per_game
def step_kernel(
    kits,
    setups,
    blank,
    options,
    tables,
    notes,
    seats,
    masks,
    rewards,
    done,
    truncated,
    standings,
    actions,
):
    i = cuda.grid(1)
    if i < tables.shape[0]:
        step(
            kits[0],
            setups[0],
            blank,
            options,
            tables,
            notes,
            seats,
            masks,
            rewards,
            done,
            truncated,
            standings,
            actions,
            i,
        )


@per_game
def observe_kernel(kits, tables, seats, observations):
    i = cuda.grid(1)
    if i < tables.shape[0]:
        observe(kits[0], tables, seats, observations, i)


@per_game
def appraise_kernel(kits, tables, chances):
    i = cuda.grid(1)
    if i < tables.shape[0]:
        appraise(kits[0], tables, chances, i)


@per_game
def unpack_kernel(masks, flags):
    """A thread for each truth value, so that neighbours write side by side."""
    i = cuda.grid(1)
    actions = flags.shape[1]
    if i < flags.shape[0] * actions:
        flags[i // actions, i % actions] = allowed(masks[i // actions], i % actions)


@per_game
def choose_kernel(seats, masks, choosers, actions):
    i = cuda.grid(1)
    if i < actions.shape[0]:
        choose(seats, masks, choosers, actions, i)


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
