"""Small counts as lanes of one word.

*Lanes* are seven counts from 0 to 127 in one `int64`, a byte each, the first in the lowest
byte. Adding two words adds all their counts at once, so a handful of gems moves from the bank
to a player by `player.tokens += gems; s.bank -= gems`.
"""

from __future__ import annotations

from collections.abc import Iterable

from bottega.engine.rule import rule

LANES = 7
MOST = 127

_ONES = 0x01010101010101
_TOPS = 0x80808080808080
_GATHER = sum(1 << (56 - 7 * lane) for lane in range(LANES))  # lane i to bit 56 + i


@rule
def lane(word, index):
    """The count in one lane."""
    return (word >> (8 * index)) & 127


@rule
def one(index):
    """A word with 1 in one lane."""
    return 1 << (8 * index)


@rule
def total(word):
    """The sum of all lanes; it must stay below 256."""
    return ((word * _ONES) >> 48) & 255


@rule
def shortfall(need, have):
    """What is missing in each lane: need - have, never below zero."""
    difference = (need | _TOPS) - have
    enough = difference & _TOPS
    return difference & (enough - (enough >> 7))


@rule
def covers(have, need):
    """Whether every lane has at least what it needs."""
    return ((have | _TOPS) - need) & _TOPS == _TOPS


@rule
def at_least(word, least):
    """The set of lanes that hold at least `least` (1 to 127)."""
    full = ((word + (128 - least) * _ONES) >> 7) & _ONES
    return ((full * _GATHER) >> 56) & 127


def pack(counts: Iterable[int]) -> int:
    """Counts as a word of lanes."""
    word = 0
    for index, number in enumerate(counts):
        if index >= LANES or not 0 <= number <= MOST:
            raise ValueError(f"lanes hold {LANES} counts from 0 to {MOST}")
        word |= int(number) << (8 * index)
    return word


def unpack(word: int, size: int) -> list[int]:
    """The first `size` counts of a word of lanes."""
    word = int(word)
    return [(word >> (8 * index)) & 127 for index in range(size)]
