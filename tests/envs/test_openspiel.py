"""OpenSpiel's own random simulation test, over every game; clones, saved states, samples."""

from __future__ import annotations

import pickle

import numpy as np
import pyspiel
import pytest

import bottega
from bottega.envs import openspiel
from tests.envs.tables import SIZES

LIMIT = 50  # decisions


def load(name: str, players: int, **parameters):
    parameters = {"players": players, "seed": 5, "limit": LIMIT, **parameters}
    return pyspiel.load_game(openspiel.name(bottega.game(name)), parameters)


def play(state, steps: int, seed: int = 1):
    """Random play; the states on the way."""
    chance = np.random.default_rng(seed)
    for _ in range(steps):
        if state.is_terminal():
            return
        state.apply_action(int(chance.choice(state.legal_actions())))
        yield state


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_random_simulation(name, players, capfd):
    # Games in Python cannot save a generator of the game, which `serialize` would ask for.
    pyspiel.random_sim_test(load(name, players), num_sims=1, serialize=False, verbose=False)
    assert "rror" not in capfd.readouterr().err


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_a_game_is_that_of_a_match(name, players):
    game = load(name, players, limit=400)
    state = game.new_initial_state()
    assert state.is_chance_node()
    state.apply_action(0)
    match = bottega.game(name).new(players, 5, limit=400)
    chance = np.random.default_rng(2)
    while not state.is_terminal():
        seat = state.current_player()
        assert state.episode.table.tobytes() == match.state()
        assert state.legal_actions() == match.legal_numbers(seat)
        assert state.observation_tensor(seat) == match.encode(seat).tolist()
        action = int(chance.choice(state.legal_actions()))
        assert state.action_to_string(seat, action) == match.game.keys[action]
        state.apply_action(action)
        match.play(seat, action)
    assert match.over
    assert state.rewards() == state.returns()
    winners = [seat for seat, value in enumerate(state.returns()) if value > 0]
    assert winners == match.winners or len(match.winners) == players


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_states_are_saved_and_cloned(name, players):
    game = load(name, players)
    state = game.new_initial_state()
    for _ in play(state, 12):
        pass
    copies = [
        state.clone(),
        game.deserialize_state(state.serialize()),
        pickle.loads(pickle.dumps(state)),
    ]
    before = str(state)
    for copy in copies:
        assert str(copy) == before
        assert copy.history() == state.history()
        for seat in range(players):
            assert copy.information_state_string(seat) == state.information_state_string(seat)
    for _ in play(copies[0], 5):
        pass
    assert str(state) == before
    assert str(copies[0]) != before
    assert pickle.loads(pickle.dumps(game)).get_parameters() == game.get_parameters()


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_samples_are_fair_to_what_a_seat_knows(name, players):
    game = load(name, players)
    state = game.new_initial_state()
    varied = False
    for _ in play(state, 25):
        if state.is_terminal():
            break
        seat = state.current_player()
        sample = state.resample_from_infostate(seat, np.random.default_rng(1).random)
        assert sample.current_player() == seat
        assert sample.legal_actions() == state.legal_actions()
        assert sample.observation_tensor(seat) == state.observation_tensor(seat)
        assert sample.information_state_string(seat) == state.information_state_string(seat)
        varied |= sample.episode.table.tobytes() != state.episode.table.tobytes()
    assert varied


def test_information_states_recall():
    """The same sight after another past is another information state."""
    game = load("splendor", 2)
    state = game.new_initial_state()
    state.apply_action(0)
    first = state.information_state_string(0)
    assert first.startswith("player 0, ")
    state.apply_action(state.string_to_action("take-white-blue-green"))
    assert state.information_state_string(0) != first
    assert "Nobles" in state.observation_string(0)


def test_tables_follow_from_the_seed():
    def deal(seed: int) -> list[str]:
        game = load("splendor", 2, seed=seed)
        states = [game.new_initial_state() for _ in range(2)]
        for state in states:
            state.apply_action(0)
        return [str(state) for state in states]

    assert deal(3) == deal(3)
    assert deal(3)[1] == deal(4)[0] != deal(3)[0]
    assert deal(-1) != deal(-1)
