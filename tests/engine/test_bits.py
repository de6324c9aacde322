"""Sets and lanes against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.engine import bits, lanes

words = st.integers(0, 2**64 - 1)
small = st.lists(st.integers(0, 30), min_size=7, max_size=7)
patient = settings(deadline=None)  # the first example compiles


def members(word):
    return [i for i in range(64) if word >> i & 1]


@patient
@given(words)
def test_count_lowest_and_nth(word):
    inside = members(word)
    assert bits.count(np.uint64(word)) == len(inside)
    assert bits.lowest(np.uint64(word)) == (inside[0] if inside else 64)
    assert [bits.nth(np.uint64(word), n) for n in range(len(inside))] == inside


@patient
@given(st.sets(st.integers(0, 191)))
def test_masks(actions):
    mask = np.zeros(3, np.uint64)
    for action in actions:
        bits.allow(mask, action)
    assert {action for action in range(192) if bits.allowed(mask, action)} == actions


@patient
@given(small, small)
def test_lanes_work_on_all_counts_at_once(need, have):
    a, b = lanes.pack(need), lanes.pack(have)
    assert lanes.unpack(a, 7) == need
    assert lanes.total(a) == sum(need)
    assert lanes.unpack(a + b, 7) == [x + y for x, y in zip(need, have, strict=True)]
    short = [max(x - y, 0) for x, y in zip(need, have, strict=True)]
    assert lanes.unpack(lanes.shortfall(a, b), 7) == short
    assert bool(lanes.covers(b, a)) == (sum(short) == 0)


@patient
@given(small, st.integers(1, 127))
def test_at_least(counts, least):
    word = lanes.at_least(lanes.pack(counts), least)
    assert members(int(word)) == [i for i, n in enumerate(counts) if n >= least]


@pytest.mark.parametrize("counts", [[128], [-1], [0] * 8])
def test_lanes_refuse_what_does_not_fit(counts):
    with pytest.raises(ValueError, match="lanes hold"):
        lanes.pack(counts)
