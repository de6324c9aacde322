"""Gymnasium's own checks, over every game at its smallest and largest number of players."""

from __future__ import annotations

import pytest

import bottega
from tests.envs.tables import SIZES

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.utils.env_checker import check_env

from bottega.envs import gymnasium as gym


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "players"), SIZES)
def test_check_env(name, players):
    for mode in (None, "ansi", "rgb_array"):
        env = gymnasium.make(
            gym.name(bottega.game(name)),
            players=players,
            opponents="random",
            limit=200,
            render_mode=mode,
        )
        check_env(env.unwrapped)
