"""PettingZoo's own test suites, over every game at its smallest and largest number of players."""

from __future__ import annotations

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import bottega
from bottega.envs import pettingzoo as zoo
from tests.envs.tables import SIZES, random_action

LIMIT = 120  # decisions


def environment(name: str):
    return getattr(zoo, zoo.name(bottega.game(name)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "players"), SIZES)
def test_api(name, players):
    api_test(environment(name).env(players=players, limit=LIMIT), num_cycles=300)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "players"), SIZES)
def test_seeds(name, players):
    seed_test(lambda: environment(name).env(players=players, limit=LIMIT), num_cycles=60)


@pytest.mark.parametrize(("name", "players"), SIZES)
@pytest.mark.parametrize("invitations", [False, True])
def test_a_game_is_that_of_a_match(name, players, invitations):
    """Observations, masks, rewards and the end are those of a match with the same moves."""
    env = environment(name).raw_env(players=players, limit=LIMIT, invitations=invitations)
    env.reset(seed=6)
    match = bottega.game(name).new(players, 6, limit=LIMIT)
    chance = np.random.default_rng(2)
    while not match.over:
        seat = env.possible_agents.index(env.agent_selection)
        assert seat in match.waiting or (invitations and seat in match.invited)
        for other, agent in enumerate(env.agents):
            assert (env.observe(agent) == match.encode(other)).all()
            assert env.infos[agent]["action_mask"].any() == (other == seat)
        mask = env.infos[env.agent_selection]["action_mask"]
        legal = match.legal_numbers(seat)
        guest = seat not in match.waiting
        assert np.flatnonzero(mask).tolist() == legal + [match.game.actions] * guest
        action = random_action(mask, chance)
        if action < match.game.actions:
            match.play(seat, action)
        env.step(action)
    assert set(env.truncations.values()) == {match.unfinished}
    assert set(env.terminations.values()) == {not match.unfinished}
    winners = [seat for seat, agent in enumerate(env.agents) if env.rewards[agent] > 0]
    assert winners == match.winners or len(match.winners) == players
    assert players == 1 or sum(env.rewards.values()) == pytest.approx(0, abs=1e-6)


def test_rendering(capsys):
    module = environment("splendor")
    texts = {}
    for mode in ("human", "ansi", "rgb_array"):
        env = module.env(players=2, render_mode=mode)
        env.reset(seed=1)
        texts[mode] = env.render()
        env.close()
    assert texts["human"] is None
    assert "Nobles" in capsys.readouterr().out
    assert "Nobles" in texts["ansi"]
    assert "[b]" not in texts["ansi"]
    assert texts["rgb_array"].shape[2] == 3
    with pytest.raises(bottega.BadOption, match="render_mode"):
        module.raw_env(render_mode="smell")


def test_an_illegal_action_ends_the_game(caplog):
    env = environment("splendor").env(players=2)
    env.reset(seed=1)
    env.step(60)  # to pass, though other things are possible
    assert "Illegal move" in caplog.text
    assert all(env.terminations.values())
    raw = environment("splendor").raw_env(players=2)
    raw.reset(seed=1)
    with pytest.raises(bottega.IllegalMove):
        raw.step(60)


def test_there_are_no_other_environments():
    with pytest.raises(AttributeError, match="chess_v0"):
        zoo.chess_v0  # noqa: B018
