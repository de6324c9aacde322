"""Batches: the same games as at a `Match`, whatever the number of tables and threads."""

from __future__ import annotations

import numpy as np
import pytest

import bottega
from bottega.engine import loops as doors
from bottega.engine.record import UNFINISHED
from bottega.envs import BOUND
from tests.envs.tables import SIZES, trade_table

LIMIT = 70  # decisions


def new(name: str, players: int, tables: int, **settings):
    return bottega.batch(name, tables, players, limit=LIMIT, seed=3, **settings)


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_scalar_equals_batch(name, players):
    """Table by table and step by step: the record, the seat, the mask, the observation and, at
    the end, the rewards and the standings are those of a match with the same seed."""
    tables = 5
    game = bottega.game(name)
    batch = new(name, players, tables, threads=1)
    matches = [game.new(players, 3 + i, limit=LIMIT) for i in range(tables)]
    ends = 0
    for _ in range(2 * LIMIT):
        seats, masks = batch.waiting.copy(), batch.legal(packed=True).copy()
        flags, seen, actions = batch.legal(), batch.encode(), batch.random()
        for i, match in enumerate(matches):
            assert batch.state[i].tobytes() == match.state()
            assert seats[i] == match.waiting[0]
            assert masks[i].tobytes() == match.mask(seats[i]).tobytes()
            assert np.flatnonzero(flags[i]).tolist() == match.legal_numbers(int(seats[i]))
            assert seen[i].tobytes() == match.encode(int(seats[i])).tobytes()
            match.play(int(seats[i]), int(actions[i]))
        batch.step(actions)
        for i, match in enumerate(matches):
            assert batch.done[i] == match.over
            assert batch.truncated[i] == match.unfinished
            assert batch.rewards[i].tolist() == pytest.approx(shares(match))
            if match.over:
                assert batch.standings[i].tolist() == [list(row) for row in match.standings]
                ends += 1
                matches[i] = game.new(players, match.seed + tables, limit=LIMIT)
    assert ends >= tables


def shares(match: bottega.Match) -> list[float]:
    """What each seat gets: the winners share 1, the others -1."""
    winners = match.winners
    losers = match.players - len(winners)
    if not match.over or match.unfinished or (not losers and match.players > 1):
        return [0.0] * match.players
    return [1 / len(winners) if seat in winners else -1 / losers for seat in range(match.players)]


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_threads_do_not_matter(name, players):
    one, many = (new(name, players, 4100, threads=threads) for threads in (1, 3))
    assert len(many._shares.rows) == 4
    for _ in range(30):
        one.step(one.random())
        many.step(many.random())
    assert one.state.tobytes() == many.state.tobytes()
    assert one.encode().tobytes() == many.encode().tobytes()
    assert (one.legal() == many.legal()).all()


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_observations_stay_within_bounds(name, players):
    batch = bottega.batch(name, 64, players, seed=9, limit=2000)
    for _ in range(400):
        batch.step(batch.random())
        seen = batch.encode()
        assert np.isfinite(seen).all()
        assert np.abs(seen).max() < BOUND
        assert players == 1 or np.abs(batch.rewards.sum(axis=1)).max() < 1e-6


def test_the_judge_of_a_batch():
    batch = bottega.batch("splendor", 64, 3, seed=9)
    game, chances = bottega.game("splendor"), np.zeros(3)
    for _ in range(60):
        batch.step(batch.random())
    game.code(doors.open_judge)(game.kit().record, batch.state[5:6], chances)
    assert batch.judge()[5] == pytest.approx(chances, abs=1e-6)
    assert batch.judge().sum(axis=1) == pytest.approx(np.ones(64), abs=1e-5)


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_arrays_are_written_in_place(name, players):
    batch = new(name, players, 3)
    arrays = [batch.waiting, batch.legal(), batch.legal(packed=True), batch.encode(), batch.done]
    batch.step(batch.random())
    again = [batch.waiting, batch.legal(), batch.legal(packed=True), batch.encode(), batch.done]
    assert all(np.shares_memory(a, b) for a, b in zip(arrays, again, strict=True))
    assert np.shares_memory(np.from_dlpack(batch.encode()), batch.encode())


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_an_illegal_action_changes_nothing(name, players):
    batch = new(name, players, 4)
    actions = batch.random().copy()
    for wrong in (-1, batch.actions, 10**9, int(np.flatnonzero(~batch.legal()[2])[0])):
        before = batch.state.tobytes()
        actions[2] = wrong
        with pytest.raises(bottega.IllegalMove, match="table 2"):
            batch.step(actions)
        assert batch.state.tobytes() == before
    with pytest.raises(bottega.BadOption):
        batch.step([0.5] * 4)
    with pytest.raises(bottega.BadOption):
        batch.step([0, 0])


def test_without_auto_reset_a_table_stays_over():
    batch = bottega.batch("splendor", 6, 2, limit=10, seed=1, auto_reset=False)
    for _ in range(10):
        batch.step(batch.random())
    assert batch.done.all()
    assert batch.truncated.all()
    assert (batch.state["over"] == UNFINISHED).all()
    assert (batch.waiting == -1).all()
    assert not batch.legal().any()
    before = batch.state.tobytes()
    batch.step(batch.random())
    assert not batch.done.any()
    assert batch.state.tobytes() == before
    batch.reset(where=[True, False] * 3)
    assert batch.waiting.tolist() == [0, -1] * 3
    assert batch.state[2].tobytes() == bottega.game("splendor").new(2, 9, limit=10).state()


def test_a_reset_begins_anew():
    batch = bottega.batch("splendor", 10, 3, seed=4)
    first = batch.state.tobytes()
    drawn = batch.random().copy()
    batch.step(drawn)
    batch.reset()
    assert batch.state.tobytes() == first
    assert (batch.random() == drawn).all()
    batch.reset(seed=5)
    assert batch.state[0].tobytes() == bottega.game("splendor").new(3, 5, limit=10_000).state()


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_invitations(name, players):
    """With invitations there is one action more; without guests nothing else differs."""
    batch = new(name, players, 64, invitations=True)
    assert batch.actions == bottega.game(name).actions + 1
    asked = 0
    for _ in range(150):
        guests = batch.legal()[:, -1]
        asked += guests.sum()
        actions = batch.random()
        batch.step(actions)
    assert asked > 0 or not trade_table(name, players)


@pytest.mark.parametrize(("name", "players"), SIZES)
def test_playouts(name, players):
    played = bottega.playouts(name, 40, players, seed=7, limit=300)
    assert played.games == 40
    assert played.lengths.max() <= 300
    assert played.decisions == played.lengths.sum()
    assert ((played.places == 1).any(axis=1) | (players == 1)).all()
    other = bottega.playouts(name, 40, players, seed=7, limit=300, threads=1)
    assert (played.scores == other.scores).all()


def test_what_does_not_fit_is_refused():
    for wrong in ({"tables": 0}, {"device": "abacus"}, {"players": 9}, {"seed": -1}, {"colour": 1}):
        with pytest.raises(bottega.BadOption):
            bottega.batch("splendor", **{"tables": 1, **wrong})
