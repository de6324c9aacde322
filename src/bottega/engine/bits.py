"""Sets as bits of 64-bit words.

A *set* is a word whose bit `i` says whether `i` belongs to it. A *mask* is a row of words
(`uint64`), one bit for each action of a game.

Everything here is plain arithmetic without a branch. The compiler knows these patterns and
replaces them by single instructions where the machine has them.
"""

from __future__ import annotations

import numpy as np

from bottega.engine.rule import rule

WORD = 64

_1 = np.uint64(1)
_2 = np.uint64(2)
_4 = np.uint64(4)
_7 = np.uint64(7)
_8 = np.uint64(8)
_56 = np.uint64(56)
_EVERY_2ND = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_BELOW_TOPS = np.uint64(0x7F7F7F7F7F7F7F7F)
_DIAGONAL = np.uint64(0x8040201008040201)
_BYTE = np.uint64(0xFF)


@rule
def bit(index):
    """The set with one member."""
    return np.int64(1) << np.int64(index)


@rule
def count(word):
    """How many bits of the word are set."""
    x = np.uint64(word)
    x = x - ((x >> _1) & _EVERY_2ND)
    x = (x & _PAIRS) + ((x >> _2) & _PAIRS)
    x = (x + (x >> _4)) & _NIBBLES
    return np.int64((x * _ONES) >> _56)


@rule
def lowest(word):
    """The index of the lowest set bit; 64 for an empty word."""
    x = np.uint64(word)
    return count(~x & (x - _1))


@rule
def spread(word):
    """The lowest eight bits of a word, one in each byte."""
    apart = ((word & _BYTE) * _ONES) & _DIAGONAL
    return ((apart + _BELOW_TOPS) >> _7) & _ONES


@rule
def nth(word, n):
    """The index of the n-th set bit, counted from 0; the word has more than n."""
    x = np.uint64(word)
    wanted = np.uint64(n)
    # How many bits each byte has, summed up from the lowest byte on ...
    sums = x - ((x >> _1) & _EVERY_2ND)
    sums = (sums & _PAIRS) + ((sums >> _2) & _PAIRS)
    sums = ((sums + (sums >> _4)) & _NIBBLES) * _ONES
    # ... tells in which byte the bit is: behind all those whose sum is not above n.
    behind = (((wanted * _ONES) | _TOPS) - sums) & _TOPS
    byte = (((behind >> _7) * _ONES) >> _56) * _8
    wanted = wanted - (((sums << _8) >> byte) & _BYTE)
    # The same again with the bits of that byte, one in each byte of a word.
    sums = spread(x >> byte) * _ONES
    behind = (((wanted * _ONES) | _TOPS) - sums) & _TOPS
    return np.int64(byte + (((behind >> _7) * _ONES) >> _56))


@rule
def allow(mask, action):
    """Mark one action in a mask."""
    mask[action >> 6] |= _1 << np.uint64(action & 63)


@rule
def strike(mask, action):
    """Take one marked action out of a mask."""
    mask[action >> 6] ^= _1 << np.uint64(action & 63)


@rule
def allowed(mask, action):
    """Whether an action is marked in a mask."""
    return (mask[action >> 6] >> np.uint64(action & 63)) & _1 == _1
