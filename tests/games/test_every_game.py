"""Every registered game, over random play: see `properties.py` for what is checked."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest

import bottega
from bottega.engine.game import Game
from tests.games import playthrough, properties, trace

GAMES = bottega.games()
BOTS = ["random", "casual", "greedy"]  # the search: tests/bots/test_search.py


def tables() -> list[tuple[str, int]]:
    """Each game with each number of players."""
    return [
        (name, players)
        for name in GAMES
        for players in range(bottega.game(name).seats[0], bottega.game(name).seats[1] + 1)
    ]


def module(game: Game) -> str:
    return game.folder.name


@pytest.mark.parametrize(("name", "players"), tables())
@pytest.mark.parametrize("seed", [1, 2])
def test_random_play(name, players, seed):
    game = bottega.game(name)
    invariants = import_module(f"tests.games.{module(game)}.invariants").check
    properties.check_random_game(game, players, seed, invariants)


@pytest.mark.parametrize(("name", "players"), tables())
def test_twin_worlds(name, players):
    game = bottega.game(name)
    seeds = (3, 5) if players < 4 else (3,)  # with many players one game has eyes enough
    varied = [properties.check_secrets(game, players, seed, BOTS) for seed in seeds]
    assert any(varied), "nothing hidden ever varied"


@pytest.mark.parametrize(("name", "players"), tables())
def test_undo_never_peeks(name, players):
    game = bottega.game(name)
    private = properties.check_undo(game, players, seed=7)
    assert private > 0 or name == "splendor", "nothing private was ever decided"


@pytest.mark.parametrize("name", GAMES)
def test_interleaved_tables(name):
    game = bottega.game(name)
    properties.check_interleaved(game, game.seats[1])


@pytest.mark.parametrize("name", GAMES)
def test_playthroughs(name):
    """Golden playthroughs, compared line by line; a game without them fails."""
    game = bottega.game(name)
    files = playthrough.files(game)
    covered = {playthrough.header(file)["players"] for file in files}
    assert {game.seats[0], game.seats[1]} <= covered, "playthroughs are missing"
    for file in files:
        expected = file.read_text(encoding="utf-8").splitlines()
        made, recorded = playthrough.header(file), playthrough.decisions(file)
        assert playthrough.lines(game, **made, recorded=recorded) == expected, file.name


def test_interpreted_equals_compiled():
    """Move by move, the rules give the same bytes with and without the compiler."""
    interpreted = subprocess.run(
        [sys.executable, "-m", "tests.games.trace", *GAMES],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    ).stdout.splitlines()
    compiled = [line for name in GAMES for line in trace.lines(name)]
    assert len(compiled) > 100 * len(GAMES)
    assert interpreted == compiled
