"""The compiled rules: as small, as quick and as right as the interpreted ones."""

from __future__ import annotations

import os
import subprocess
import sys

import bottega
from tests.games import playthrough

GAME = bottega.game("renaissance-man")


def test_whole_games_interpreted():
    """From the Foundation to the Master, interpreted rules give the same records."""
    files = [file for file in playthrough.files(GAME) if playthrough.header(file)["players"] < 3]
    told = subprocess.run(
        [sys.executable, "-m", "tests.games.renaissance_man.golden", *map(str, files)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    ).stdout.split()
    assert len(told) == 2
    assert all(int(number) > 80 for number in told)


def test_a_table_is_small():
    assert GAME.table.itemsize < 1000


def test_greedy_bots_finish_at_a_human_length():
    """A Master within 40 rounds, at any number of players."""
    for players in (2, 3, 4):
        match = GAME.new(players, seed=8, limit=5000)
        bot = bottega.bot("greedy")
        while not match.over:
            seat = match.waiting[0]
            match.play(seat, bot.choose(match, seat))
        assert match.winners
        assert 6 <= match.view()["round"] <= 40
