"""Chance: the generator inside every table.

SplitMix64 (Steele, Lea and Flood, 2014): eight bytes of state, one addition a step, an output
that passes BigCrush. Everything random at a table comes from here, so a seed and the moves
are the whole game.
"""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import count, nth
from bottega.engine.rule import rule

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_RANGE = np.uint64(1 << 32)


@rule
def mix(word):
    """Spread the bits of a word over the whole word; neighbours come out unrelated."""
    z = np.uint64(word)
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


@rule
def seed_chance(s, seed):
    """Start the generator of a table (or of anything with a field `rng`)."""
    s.rng = mix(np.uint64(seed) + _STEP)


@rule
def below(s, n):
    """A fair number from 0 to n - 1, for n from 1 to 2**32 (Lemire's method, unbiased)."""
    n = np.uint64(n)
    s.rng += _STEP
    product = (mix(s.rng) >> _32) * n
    if product & _LOW < n:
        surplus = (_RANGE - n) % n
        while product & _LOW < surplus:
            s.rng += _STEP
            product = (mix(s.rng) >> _32) * n
    return np.int64(product >> _32)


@rule
def shuffle(s, items, size):
    """Put the first `size` items into a fair random order (Fisher-Yates)."""
    for last in range(size - 1, 0, -1):
        other = below(s, last + 1)
        held = items[last]
        items[last] = items[other]
        items[other] = held


@rule
def pick(s, word):
    """A fair random member of a set that is not empty."""
    return nth(word, below(s, count(word)))
