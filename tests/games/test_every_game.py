"""Every registered game, over random play: see `properties.py` for what is checked."""

from __future__ import annotations

from importlib import import_module
from itertools import count

import pytest

import bottega
from bottega.engine.compile import Entry, compiling_doors
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


@pytest.mark.parametrize("name", GAMES)
def test_the_switch_from_interpreted_to_compiled_rules_is_invisible(name, monkeypatch):
    """Move by move, the rules give the same bytes interpreted, compiled, and if they are now one
    and now the other in the midst of a game."""
    with compiling_doors("engine"):
        compiled = list(trace.lines(name))
    code, asked = bottega.game(name).code, count()
    entries = [entry for entry in code._entries.values() if entry.part == "engine"]
    assert all(entry.ready for entry in entries if entry.door)
    for entry in entries:
        monkeypatch.setattr(entry, "ready", False)
    # 97 calls of the rules at a time: several moves
    monkeypatch.setattr(Entry, "_made_ready", lambda *_: next(asked) // 97 % 2 == 1)
    assert list(trace.lines(name)) == compiled
    assert len(compiled) > 100
    assert next(asked) > 1000
