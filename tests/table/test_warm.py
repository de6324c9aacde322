"""Nobody waits for the compiler: what a table needs is compiled when the server starts."""

from __future__ import annotations

import pytest

import bottega
from bottega.bots import loops, tree
from bottega.table.hall import exercise_all

DOORS = (loops.open_greedy, tree.search, tree.look_at_root, tree.chain_from)


@pytest.mark.parametrize("name", bottega.games())
def test_a_game_and_its_bots_are_compiled_at_the_start(name):
    exercise_all()
    code = bottega.game(name).code
    assert [door.__name__ for door in DOORS if not code(door).ready] == []


def test_guests_do_not_wait_either():
    exercise_all()
    assert bottega.game("one-card-wonder").code(loops.open_consider).ready
