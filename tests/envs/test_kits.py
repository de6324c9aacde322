"""Another kit is only a file: environments play it like the default one."""

from __future__ import annotations

import gymnasium
import numpy as np
import pyspiel

import bottega
from bottega.envs import gymnasium as seats
from bottega.envs import openspiel
from bottega.envs import pettingzoo as zoo

GAME = bottega.game("renaissance-man")
KIT = GAME.kit("permutations")


def test_kits_of_playouts_and_batches():
    played = [
        bottega.playouts(GAME.name, 20, 2, seed=3, limit=400, kit=kit).scores
        for kit in ("default", KIT.name)
    ]
    assert not np.array_equal(*played)
    seen = [
        np.array(bottega.batch(GAME.name, 4, 2, seed=3, kit=kit).encode())
        for kit in ("default", KIT.name)
    ]
    assert not np.array_equal(*seen), "other recruits lie open"


def test_kits_of_environments():
    aec = getattr(zoo, zoo.name(GAME)).env(players=2, kit=KIT.name)
    seat = gymnasium.make(seats.name(GAME), players=2, kit=KIT.name)
    tree = pyspiel.load_game(openspiel.name(GAME), {"players": 2, "kit": KIT.name})
    for rules in (aec.unwrapped.rules, seat.unwrapped.rules, tree.rules):
        assert rules.kit.hash == KIT.hash
