"""OpenSpiel's own random simulation test, over every game."""

from __future__ import annotations

import pytest

import bottega
from tests.envs.tables import SIZES

pyspiel = pytest.importorskip("pyspiel")

from bottega.envs import openspiel  # noqa: E402


def load(name, players, **parameters):
    parameters = {"players": players, "seed": 5, "limit": 120, **parameters}
    return pyspiel.load_game(openspiel.name(bottega.game(name)), parameters)


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_random_simulation(name, players, capfd):
    pyspiel.random_sim_test(load(name, players), num_sims=1, serialize=False, verbose=False)
