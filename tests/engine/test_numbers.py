"""Vectors of numbers, piece by piece."""

from __future__ import annotations

import numpy as np
import pytest

from bottega.engine.lanes import pack
from bottega.engine.numbers import clear, mark, write_lanes, write_set

REST = 9.0  # what was in the vector


def rest(size: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.full(size, REST, np.float32)


def test_a_vector_is_cleared_as_far_as_it_goes() -> None:
    out = rest(5)
    clear(out, 4)
    assert out.tolist() == [0, 0, 0, 0, REST]


def test_small_numbers_serve_as_indices() -> None:
    out = rest(300)
    mark(out, 200, np.uint8(99))
    assert np.flatnonzero(out == 1).tolist() == [299]


@pytest.mark.parametrize("size", [1, 3, 4, 6, 7, 8, 10, 12, 17])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int64])
def test_a_set_writes_one_number_for_each_possible_member(size: int, kind: type) -> None:
    chance = np.random.default_rng(size)
    for word in chance.integers(0, 1 << min(size, 8), 50):
        out = rest(size + 5)
        assert write_set(kind(word), size, out, 2) == size + 2
        members = [int(word) >> index & 1 for index in range(size)]
        assert out.tolist() == [REST, REST, *members, REST, REST, REST]


def test_who_is_no_possible_member_is_not_written() -> None:
    out = rest(5)
    write_set(0b10010, 4, out, 0)
    assert out.tolist() == [0, 1, 0, 0, REST]


def test_lanes_are_shares_of_their_scale() -> None:
    out = rest(6)
    assert write_lanes(pack([1, 0, 7, 100]), 4, 7.0, out, 1) == 5
    assert out.tolist() == [REST, *np.array([1, 0, 7, 100], np.float32) / np.float32(7), REST]


def test_empty_lanes_leave_what_is_clear() -> None:
    out = np.zeros(4, np.float32)
    assert write_lanes(0, 3, 8.0, out, 0) == 3
    assert not out.any()
