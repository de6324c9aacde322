"""Many games on threads."""

from __future__ import annotations

import numpy as np
import pytest

import bottega
from bottega.bots.crowd import bots_worker
from bottega.engine.record import ENDED, UNFINISHED
from bottega.engine.runs import Plan, random_worker, run

GAME = bottega.game("splendor")


def outcomes(games=300, seed=5, threads=2, chunk=64, limit=0, bots=None, **options):
    plan = Plan.make(GAME, 3, games, seed, limit, "default", options)
    worker = (lambda: bots_worker(plan, bots)) if bots else (lambda: random_worker(plan))
    return run(plan, worker, threads, chunk)


def same(one, two):
    return all(
        np.array_equal(getattr(one, name), getattr(two, name))
        for name in ("places", "scores", "lengths", "ends")
    )


@pytest.mark.parametrize("bots", [None, ["greedy", "random", "greedy"]])
def test_the_number_of_threads_changes_nothing(bots):
    games = 60 if bots else 300
    one = outcomes(games, threads=1, chunk=1000, bots=bots)
    assert same(one, outcomes(games, threads=3, chunk=7, bots=bots))
    assert not same(one, outcomes(games, seed=6, bots=bots))


def test_a_game_of_a_run_is_the_table_of_its_seed():
    """Game g of a run is dealt from seed + g; it can be looked at as a match."""
    run_of_two = outcomes(2, seed=40)
    alone = outcomes(1, seed=41)
    assert run_of_two.lengths[1] == alone.lengths[0]


def test_outcomes_are_whole():
    all_games = outcomes()
    assert (all_games.places.min(axis=1) == 1).all()
    assert (all_games.ends == ENDED).all()
    assert all_games.decisions == all_games.lengths.sum() > 300 * 50
    winners = np.where(all_games.places == 1, all_games.scores, 0).max(axis=1)
    assert (winners == all_games.scores.max(axis=1)).all()


def test_limits_end_games_unfinished():
    cut = outcomes(50, limit=20)
    assert (cut.ends == UNFINISHED).all()
    assert (cut.lengths == 20).all()


def test_seats_are_fair_at_random():
    wins = (outcomes(4000).places == 1).mean(axis=0)
    assert (abs(wins - 1 / 3) < 0.04).all()


def test_stopping_is_clean():
    def stop(_):
        raise KeyboardInterrupt

    plan = Plan.make(GAME, 2, 500, 1, 0, "default", {})
    with pytest.raises(KeyboardInterrupt):
        run(plan, lambda: random_worker(plan), 2, 16, stop)


@pytest.mark.parametrize("games", [0, -1, "many"])
def test_bad_numbers_of_games(games):
    with pytest.raises(bottega.BadOption):
        Plan.make(GAME, 2, games, 1, 0, "default", {})
