"""Nobody waits for the compiler: what a table needs is compiled when the server starts."""

from __future__ import annotations

import pytest

import bottega
from bottega.bots import loops, tree
from bottega.engine.compile import Entry
from bottega.table.hall import exercise_all

DOORS = (loops.open_greedy, tree.search, tree.look_at_root, tree.chain_from)


@pytest.fixture(scope="module")
def doors() -> dict[str, list[Entry]]:
    """What bots of each game come in by, after the server's start; whatever other tests did before
    is forgotten."""
    doors = {name: [bottega.game(name).code(door) for door in DOORS] for name in bottega.games()}
    doors["one-card-wonder"].append(bottega.game("one-card-wonder").code(loops.open_consider))
    for entries in doors.values():
        for entry in entries:
            entry.ready = False
    exercise_all()
    return doors


@pytest.mark.parametrize("name", bottega.games())
def test_a_game_and_its_bots_are_compiled_at_the_start(doors, name):
    assert [entry.name for entry in doors[name] if not entry.ready] == []
