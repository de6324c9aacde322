"""The measurements: what is measured, not how fast it is."""

from __future__ import annotations

import json
import platform

import numpy as np
import pytest

import bottega
from bottega.cli import main
from bottega.engine.runs import Outcomes
from bottega.lab import bench

SPLENDOR = bottega.game("splendor")


@pytest.fixture
def quick(monkeypatch):
    """Short repeats, and no fresh processes."""
    monkeypatch.setattr(bench, "SECONDS", 0.01)
    monkeypatch.setattr(bench, "REPEATS", 1)
    slow = {"moves": 1000.0, "games": 10.0}
    monkeypatch.setattr(bench, "interpreted", lambda game: [slow] * len(bench.counts(game)))
    monkeypatch.setattr(bench, "start", lambda *_: {"first": 5.0, "cached": 0.75})


def test_json_has_every_figure_of_the_table(quick, capsys):
    assert main(["bench", "splendor", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    (game,) = figures["games"]
    assert game["bytes"] == SPLENDOR.table.itemsize
    assert [row["players"] for row in game["speeds"]] == [2, 3, 4]
    for row in game["speeds"]:
        for kind in ("one_core", "all_cores", "interpreted"):
            assert row[kind]["moves"] > row[kind]["games"] > 0
    assert set(game["start"]) == {"random", "greedy"}
    assert {"core", "cores", "python", "numba"} <= set(figures["machine"])


def test_the_table_says_how_it_was_measured(quick, capsys):
    assert main(["bench", "splendor"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "one core" in shown
    assert f"a table is {SPLENDOR.table.itemsize} bytes" in shown
    assert "5.0 s from nothing, 0.75 s cached" in shown
    assert "legal moves computed at every step" in shown


def test_a_speed_is_the_best_repeat(monkeypatch):
    spent = iter([1.0, 4.0, 2.0, 5.0])  # the first finds the number of games

    def timed(play, games):
        return next(spent), play(games)

    def play(games):
        outcomes = Outcomes.empty(games, 2)
        outcomes.lengths[:] = 60
        return outcomes

    monkeypatch.setattr(bench, "timed", timed)
    assert bench.best(play, seconds=1.0, repeats=3) == {"moves": 30.0, "games": 0.5}


def test_the_number_of_games_grows_until_it_takes_long_enough(monkeypatch):
    tried = []

    def timed(play, games):
        tried.append(games)
        return 0.001 * games, play(games)

    monkeypatch.setattr(bench, "timed", timed)
    bench.best(lambda games: Outcomes.empty(games, 2), seconds=1.0, repeats=1)
    assert tried == [1, 1200, 1200]


def test_interpreted_rules_run_in_a_process_of_their_own():
    speeds = bench.interpreted(SPLENDOR, 0.01)
    assert len(speeds) == 3
    compiled = bench.one_core(SPLENDOR, 2, 0.01, 1)
    assert 0 < 20 * speeds[0]["moves"] < compiled["moves"]


def test_a_first_start_finds_no_compiled_code(monkeypatch):
    caches = []

    def python(arguments, **environment):
        caches.append(environment["NUMBA_CACHE_DIR"])
        assert arguments[:3] == ["-m", "bottega", "simulate"]
        return "{}"

    monkeypatch.setattr(bench, "python", python)
    spent = bench.start(SPLENDOR, "greedy")
    assert len(set(caches)) == 1
    assert len(caches) == 1 + bench.STARTS
    assert spent["cached"] >= 0


def test_steps_are_as_many_as_announced(quick):
    heard = []
    bench.measure_game(SPLENDOR, heard.append)
    assert len(heard) == bench.steps(SPLENDOR)


def test_nothing_names_the_machine():
    told = json.dumps(bench.machine())
    assert platform.node() not in told
    assert np.__version__ in told


@pytest.mark.parametrize(
    ("value", "text"), [(12_400_000, "12.4 M"), (132_000, "132 k"), (940.2, "940"), (2e9, "2 G")]
)
def test_numbers_are_short(value, text):
    assert bench.number(value) == text
