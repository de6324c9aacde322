"""The generator: the published SplitMix64, fair ranges, fair shuffles."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest

from bottega.engine import chance
from bottega.engine.loops import CHOOSER
from bottega.engine.record import blank


def generator(seed=1):
    s = blank(CHOOSER)[0]
    chance.seed_chance(s, np.uint64(seed))
    return s


def chi_square(counts, outcomes):
    expected = sum(counts.values()) / outcomes
    return sum((counts[i] - expected) ** 2 / expected for i in counts)


def test_it_is_splitmix64():
    """The first outputs for the state 1234567, as published with the algorithm."""
    state = np.uint64(1234567)
    outputs = []
    with np.errstate(over="ignore"):
        for _ in range(3):
            state = state + chance._STEP
            outputs.append(int(chance.mix(state)))
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 40, 90])
def test_below_is_fair(n):
    s = generator()
    counts = Counter(int(chance.below(s, n)) for _ in range(200 * n))
    assert set(counts) == set(range(n))
    # Mean n - 1, variance 2 (n - 1): six deviations above would be no accident.
    assert chi_square(counts, n) <= n - 1 + 6 * (2 * (n - 1)) ** 0.5


def test_below_rejects_what_would_make_a_range_unfair():
    """With n just above 2**31, nearly half of all words must be drawn again."""
    s = generator()
    n = 2**31 + 1
    before = int(s.rng)
    for _ in range(1000):
        assert 0 <= chance.below(s, n) < n
    steps = (int(s.rng) - before) * pow(int(chance._STEP), -1, 2**64) % 2**64
    assert 1800 < steps < 2200


def test_shuffle_gives_every_order_alike():
    s = generator()
    counts = Counter()
    for _ in range(24 * 200):
        items = np.arange(4)
        chance.shuffle(s, items, 4)
        counts[tuple(int(i) for i in items)] += 1
    assert set(counts) == set(permutations(range(4)))
    assert chi_square(counts, 24) < 23 + 6 * 46**0.5


def test_shuffle_leaves_the_rest_alone():
    s = generator()
    items = np.arange(10)
    chance.shuffle(s, items, 6)
    assert sorted(items[:6].tolist()) == list(range(6))
    assert items[6:].tolist() == [6, 7, 8, 9]


def test_pick_is_a_fair_member():
    s = generator()
    members = [0, 3, 17, 39]
    word = sum(1 << i for i in members)
    counts = Counter(int(chance.pick(s, word)) for _ in range(4000))
    assert sorted(counts) == members
    assert chi_square(counts, 4) < 3 + 6 * 6**0.5


def test_neighbouring_seeds_are_unrelated():
    first = [int(chance.below(generator(seed), 1000)) for seed in range(2000)]
    assert chi_square(Counter(n // 100 for n in first), 10) < 9 + 6 * 18**0.5
    same = sum(a == b for a, b in pairwise(first))
    assert same < 15
