"""The search on a GPU: thread i does for the tree of table i what `bots/guided.py` does for one on
a CPU core. In between the network is asked about all leaves (`searches.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from bottega.bots.guided import (
    LEFT,
    LENGTH,
    NOBODY,
    Memory,
    descend,
    end_round,
    note_first,
    note_found,
    take_leaf,
)
from bottega.bots.tree import NONE, add_to_way, key_of
from bottega.engine.compile import per_game
from bottega.engine.rule import rule

# Of the game for which a kernel is compiled; filled in by `envs/cuda.py`.
TABLE: Any = None  # the type of a table


@rule
def tree_of(forest, i, tables):
    """The memory of one tree. The table of an iteration is nearer at hand than the rest."""
    return Memory(
        forest.nodes[i],
        forest.edges[i],
        forest.slots[i],
        forest.used[i],
        forest.way[i],
        forest.spot[i],
        forest.key[i],
        tables,
        forest.masks[i],
        forest.seen[i],
        forest.best[i],
        forest.chances[i],
        forest.standing[i],
        forest.noise[i],
        forest.running[i],
        forest.visits[i],
        forest.values[i],
    )


@per_game
def plant_kernel(noise, forest):
    """Begin anew."""
    i = cuda.grid(1)
    if i < noise.shape[0]:
        for slot in range(forest.slots.shape[1]):
            forest.slots[i, slot] = NONE
        for action in range(noise.shape[1]):
            forest.noise[i, action] = noise[i, action]
        forest.used[i, 0] = 0
        forest.used[i, 1] = 0
        forest.spot[i, LEFT] = 0


@per_game
def descend_kernel(kits, roots, seats, seeds, knobs, forest, actors):
    """The next way down, where a table asks a seat; who decides at its end."""
    i = cuda.grid(1)
    if i < roots.shape[0]:
        actors[i] = NOBODY
        if seats[i] >= 0:
            tables = cuda.local.array(1, TABLE)
            m = tree_of(forest, i, tables)
            key = key_of(kits[0], roots[i], seats[i], m)
            seed = np.uint64(seeds[i])
            actors[i] = descend(kits[0], roots[i], seats[i], key, seed, knobs, m)
            forest.tables[i, 0] = tables[0]


@per_game
def settle_kernel(kits, seats, actors, scores, chances, knobs, forest):
    """What the network says of a leaf goes up."""
    i = cuda.grid(1)
    if i < seats.shape[0] and seats[i] >= 0:
        m = tree_of(forest, i, forest.tables[i])
        if actors[i] != NOBODY:
            take_leaf(kits[0], actors[i], scores[i], chances[i], knobs, m)
        add_to_way(m.spot[LENGTH], m)


@per_game
def cut_kernel(seats, to_go, knobs, forest, found):
    """The end of a round; with everything to go, that of the iteration that made the root."""
    i = cuda.grid(1)
    if i < seats.shape[0] and seats[i] >= 0:
        m = tree_of(forest, i, forest.tables[i])
        if to_go == 1.0:
            note_first(m, i, found)
        else:
            end_round(to_go, knobs, m)


@per_game
def look_kernel(seats, knobs, forest, found):
    """What was found at the root."""
    i = cuda.grid(1)
    if i < seats.shape[0]:
        for action in range(found.policy.shape[1]):
            found.policy[i, action] = 0.0
        if seats[i] >= 0:
            note_found(knobs, tree_of(forest, i, forest.tables[i]), i, found)
