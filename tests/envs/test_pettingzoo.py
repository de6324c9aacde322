"""PettingZoo's own test suites, over every game at its smallest and largest number of players."""

from __future__ import annotations

import pytest

import bottega
from bottega.envs import pettingzoo as zoo
from tests.envs.tables import SIZES

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test


def environment(name: str):
    return getattr(zoo, zoo.name(bottega.game(name)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "players"), SIZES)
def test_api(name, players):
    api_test(environment(name).env(players=players, limit=120), num_cycles=300)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "players"), SIZES)
def test_seeds(name, players):
    seed_test(lambda: environment(name).env(players=players, limit=120), num_cycles=60)
