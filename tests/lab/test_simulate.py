"""Simulations: the intervals, the counting of wins, and the same games on any threads."""

from __future__ import annotations

import numpy as np
import pytest

import bottega
from bottega.bots.crowd import KINDS, bots_worker
from bottega.engine.errors import BadOption
from bottega.engine.record import ENDED, UNFINISHED
from bottega.engine.runs import Outcomes, Plan, random_worker, run
from bottega.lab.lineup import Named, seated
from bottega.lab.simulate import check_threads, shares, simulate, spread_of, summarise, wilson


def plan(games: int, players: int = 2, seed: int = 7, limit: int = 1000) -> Plan:
    return Plan.make(bottega.game("splendor"), players, games, seed, limit, "default", {})


# Newcombe, "Two-sided confidence intervals for the single proportion" (1998), method 3.
@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_as_published(wins, games, low, high):
    assert wilson(wins, games) == pytest.approx((low, high), abs=5e-5)


def test_wilson_is_the_same_seen_from_the_other_side():
    low, high = wilson(30, 100)
    assert wilson(70, 100) == pytest.approx((1 - high, 1 - low))
    assert wilson(20, 20)[1] == 1.0


def test_wilson_covers_the_truth_about_95_times_in_100():
    chance = np.random.default_rng(1)
    for truth in (0.1, 0.5, 0.8):
        wins = chance.binomial(200, truth, 4000)
        covered = sum(low <= truth <= high for low, high in (wilson(w, 200) for w in wins))
        assert 0.93 < covered / 4000 < 0.97


def test_a_shared_win_is_a_share_for_each():
    places = np.array([[1, 1, 3], [1, 1, 1], [2, 1, 3]], np.int8)
    assert shares(places, np.array([True, True, True])) == pytest.approx(
        [1 / 2 + 1 / 3, 1 / 2 + 1 / 3 + 1, 1 / 3]
    )


def test_an_unfinished_game_is_nobodys_win():
    places = np.array([[1, 2], [1, 2]], np.int8)
    assert shares(places, np.array([True, False])) == [1.0, 0.0]


def test_a_solo_game_can_be_lost():
    assert shares(np.array([[2], [1]], np.int8), np.array([True, True])) == [1.0]


def test_unfinished_games_are_in_no_figure():
    outcomes = Outcomes.empty(3, 2)
    outcomes.places[:] = [[1, 2], [2, 1], [1, 2]]
    outcomes.scores[:] = [[15, 3], [99, 98], [17, 5]]
    outcomes.lengths[:] = [60, 1000, 80]
    outcomes.ends[:] = [ENDED, UNFINISHED, ENDED]
    summary = summarise(plan(3), seated("random", 2), outcomes)
    assert (summary["finished"], summary["unfinished"]) == (2, 1)
    assert [row["wins"] for row in summary["seats"]] == [2, 0]
    assert summary["seats"][0]["share"] == 1
    assert summary["seats"][1]["score"] == {"mean": 4, "median": 4, "least": 3, "most": 5}
    assert summary["decisions"] == {"mean": 70, "median": 70, "least": 60, "most": 80}


def test_nothing_is_claimed_when_no_game_finished():
    some = plan(4, limit=10)
    lineup = seated("random", 2)
    summary = summarise(some, lineup, simulate(some, lineup))
    assert summary["unfinished"] == 4
    assert summary["decisions"] is None
    assert summary["seats"][0] == {
        "seat": 0,
        "bot": "random",
        "wins": 0.0,
        "share": None,
        "low": None,
        "high": None,
        "score": None,
    }


def test_the_wins_of_all_seats_are_the_finished_games():
    some = plan(300, players=3)
    lineup = seated("greedy,random,random", 3)
    summary = summarise(some, lineup, simulate(some, lineup))
    assert sum(row["wins"] for row in summary["seats"]) == pytest.approx(summary["finished"])
    greedy, random = summary["bots"]
    assert greedy["wins"] == summary["seats"][0]["wins"]
    assert random["seats"] == [1, 2]
    assert random["wins"] == pytest.approx(sum(row["wins"] for row in summary["seats"][1:]))
    assert greedy["low"] > 0.9  # it is far better than chance


@pytest.mark.parametrize("bots", ["random", "greedy,random"])
def test_the_same_games_on_any_number_of_threads(bots):
    some = plan(70)
    lineup = seated(bots, 2)
    alone, few, many = (simulate(some, lineup, threads) for threads in (1, 2, 7))
    for others in (few, many):
        for mine, theirs in zip(alone.part(0, 70), others.part(0, 70), strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_random_play_is_the_same_as_a_game_of_random_bots():
    some = plan(50)
    by_loop = run(some, lambda: random_worker(some))
    by_bots = run(some, lambda: bots_worker(some, ["random", "random"]))
    np.testing.assert_array_equal(by_loop.lengths, by_bots.lengths)
    np.testing.assert_array_equal(by_loop.scores, by_bots.scores)


def test_bots_that_are_not_compiled_play_too():
    some = plan(3)
    lineup = [Named("casual"), Named("greedy")]
    assert "casual" not in KINDS
    alone, many = simulate(some, lineup, 1), simulate(some, lineup, 3)
    np.testing.assert_array_equal(alone.scores, many.scores)
    assert (alone.ends == ENDED).all()
    assert (alone.lengths > 20).all()
    assert (alone.scores.max(axis=1) >= 15).all()
    assert (alone.places.min(axis=1) == 1).all()


def test_progress_counts_every_game():
    done: list[int] = []
    simulate(plan(100), seated("greedy", 2), 2, done.append)
    assert sum(done) == 100
    assert len(done) > 2


def test_numbers_in_short():
    assert spread_of(np.array([])) is None
    assert spread_of(np.array([1, 2, 6, 7])) == {"mean": 4, "median": 4, "least": 1, "most": 7}


@pytest.mark.parametrize("threads", [0, -1, 100_000])
def test_threads_must_make_sense(threads):
    with pytest.raises(BadOption, match="threads"):
        check_threads(threads)
