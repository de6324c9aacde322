"""What a seat knows as numbers: the pieces of which a game's `encode` is made.

Each writes to a vector from `at` on and says where the next numbers go. The vector is cleared
first; then only what is not 0 needs to be written, and most of it is 0.

An index that may be negative counts from the end, and asking for that takes as long as writing the
number: hence `np.uint64`.
"""

from __future__ import annotations

import numpy as np

from bottega.engine.lanes import lane
from bottega.engine.rule import rule

FOUR = 4  # members of a set that are written at once
FOURS = np.array([[word >> i & 1 for i in range(FOUR)] for word in range(1 << FOUR)], np.float32)


@rule
def clear(out, size):
    """Begin a vector."""
    for index in range(size):
        out[index] = 0.0


@rule
def mark(out, at, index):
    """One of several is the case."""
    out[np.uint64(at + np.int64(index))] = 1.0


@rule
def write_set(word, size, out, at):
    """A set, one number for each possible member."""
    left = np.int64(word)
    for _ in range(size // FOUR):
        for index in range(FOUR):
            out[np.uint64(at + index)] = FOURS[left & 15, index]
        left >>= FOUR
        at += FOUR
    for index in range(size % FOUR):
        out[np.uint64(at + index)] = left >> index & 1
    return at + size % FOUR


@rule
def write_lanes(word, size, scale, out, at):
    """Counts, each divided by the scale: in the vector's own precision, which gives the same and
    takes less time."""
    if word != 0:
        for index in range(size):
            out[np.uint64(at + index)] = np.float32(lane(word, index)) / np.float32(scale)
    return at + size
