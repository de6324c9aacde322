"""Gymnasium's own checks, over every game at its smallest and largest number of players."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import bottega
from bottega.envs import gymnasium as seats
from tests.envs.tables import SIZES, random_action

LIMIT = 120  # decisions


def make(name: str, players: int, **settings):
    settings = {"opponents": "random", "limit": LIMIT, **settings}
    return gymnasium.make(seats.name(bottega.game(name)), players=players, **settings)


def make_vec(name: str, players: int, tables: int = 40, **settings):
    settings = {"opponents": "random", "limit": LIMIT, **settings}
    env = seats.name(bottega.game(name))
    return gymnasium.make_vec(env, num_envs=tables, players=players, **settings)


def choose(info, chance: np.random.Generator) -> np.ndarray:
    """Random legal actions."""
    mask = info["action_mask"]
    return (chance.random(mask.shape) * mask).argmax(axis=1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "players"), SIZES)
def test_check_env(name, players):
    check_env(make(name, players, render_mode="ansi").unwrapped)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "players"), SIZES)
def test_a_game_against_bots(name, players):
    env = make(name, players, opponents="greedy", seat=players - 1)
    chance = np.random.default_rng(1)
    _, info = env.reset(seed=4)
    over = False
    while not over:
        assert info["seat"] == players - 1
        seen, reward, terminated, truncated, info = env.step(
            random_action(info["action_mask"], chance)
        )
        over = terminated or truncated
        assert env.observation_space.contains(seen)
        assert reward == 0 or terminated
    match = env.unwrapped.match
    assert match.over
    assert terminated == (not match.unfinished)
    assert (reward > 0) == (match.winners == [players - 1]) or len(match.winners) > 1
    assert not info["action_mask"].any()


def test_an_illegal_action_loses():
    env = make("splendor", 2)
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert not info["action_mask"].any()


def test_the_seed_deals_the_table():
    env = make("splendor", 3, seat=0)
    env.reset(seed=12)
    assert env.unwrapped.match.state() == bottega.game("splendor").new(3, 12, limit=LIMIT).state()


def test_an_image_of_the_board():
    env = make("splendor", 2, render_mode="rgb_array")
    env.reset(seed=1)
    image = env.render()
    assert image.ndim == 3
    assert image.shape[2] == 3
    assert image.dtype == np.uint8
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 10


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"opponents": "nobody"}, "there is no bot"),
        ({"opponents": ["random", "random"]}, "2 opponents for 1 seats"),
        ({"opponents": "search:x"}, "must be a number"),
        ({"seat": 2}, "seat=2"),
        ({"players": 9}, "Splendor is for"),
        ({"render_mode": "smell"}, "render_mode"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*render_mode")
def test_what_does_not_fit_is_refused(settings, problem):
    with pytest.raises(bottega.BottegaError, match=problem):
        make("splendor", **{"players": 2, **settings})


# Many tables


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "players"), SIZES)
def test_vector_environments(name, players):
    """What a vector environment promises: spaces, types, masks, auto-reset by the next step."""
    envs = make_vec(name, players)
    chance = np.random.default_rng(1)
    seen, info = envs.reset(seed=3)
    over = np.zeros(40, bool)
    ended = 0
    for _ in range(LIMIT + 5):
        assert envs.observation_space.contains(seen)
        assert info["action_mask"].any(axis=1).tolist() == (~over).tolist()
        seen, reward, terminated, truncated, info = envs.step(choose(info, chance))
        assert reward.shape == terminated.shape == truncated.shape == (40,)
        assert not (terminated & truncated).any()
        assert not (over & (terminated | truncated)).any(), "dealt anew and over at once"
        assert (reward[~terminated] == 0).all()
        over = terminated | truncated
        ended += over.sum()
    assert ended >= 40


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_vector_environments_repeat(name, players):
    """The same seeds and actions give the same, with any number of threads; another seed not."""

    def play(seed: int, threads: int) -> bytes:
        envs = make_vec(name, players, 300, opponents="greedy", threads=threads)
        chance = np.random.default_rng(1)
        _, info = envs.reset(seed=seed)
        parts = []
        for _ in range(4):
            seen, reward, *_, info = envs.step(choose(info, chance))
            parts += [seen.tobytes(), reward.tobytes()]
        return b"".join(parts)

    assert play(3, 1) == play(3, 2)
    assert play(3, 2) != play(4, 2)


def test_who_learned_is_an_opponent_at_one_table_and_at_many():
    env = make("splendor", 2, opponents="learned")
    _, info = env.reset(seed=1)
    *_, info = env.step(int(info["action_mask"].argmax()))
    assert info["action_mask"].any()
    envs = make_vec("splendor", 3, opponents="learned,greedy")
    chance = np.random.default_rng(1)
    _, info = envs.reset(seed=3)
    lost = won = 0
    for _ in range(150):
        _, reward, *_, info = envs.step(choose(info, chance))
        lost, won = lost + (reward < 0).sum(), won + (reward > 0).sum()
    assert lost > 5 * won


@pytest.mark.filterwarnings("error")
def test_wrappers_of_vector_environments():
    envs = RecordEpisodeStatistics(make_vec("splendor", 2))
    chance = np.random.default_rng(1)
    _, info = envs.reset(seed=3)
    lengths = []
    for _ in range(150):
        *_, info = envs.step(choose(info, chance))
        lengths += info["episode"]["l"][info["_episode"]].tolist() if "episode" in info else []
    assert len(lengths) >= 40
    assert max(lengths) <= LIMIT


def test_vector_arrays_can_be_handed_out_as_they_are():
    for copy in (True, False):
        envs = make_vec("splendor", 2, copy=copy)
        first, info = envs.reset(seed=1)
        second, *_ = envs.step(choose(info, np.random.default_rng(1)))
        assert np.shares_memory(first, second) == (not copy)


def test_vector_environments_lose_by_illegal_actions():
    envs = make_vec("splendor", 2)
    envs.reset(seed=1)
    actions = np.full(40, 60)  # to pass, though other things are possible
    _, reward, terminated, _, info = envs.step(actions)
    assert (reward == -1).all()
    assert terminated.all()
    assert not info["action_mask"].any()
    _, reward, terminated, _, info = envs.step(actions)
    assert not terminated.any()
    assert info["action_mask"].any(axis=1).all()


def test_slow_bots_do_not_sit_at_many_tables():
    with pytest.raises(bottega.BadOption, match="vectorization_mode='sync'"):
        make_vec("splendor", 2, opponents="search")
    envs = make_vec("splendor", 2, 2, opponents="casual", vectorization_mode="sync")
    envs.reset(seed=1)
