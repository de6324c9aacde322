"""Artificium, for 2 to 6 players."""

from __future__ import annotations

from pathlib import Path

from bottega.engine.game import Game
from bottega.games.artificium import rules, sense, sight, words
from bottega.games.artificium.actions import ACTIONS
from bottega.games.artificium.components import make_kit
from bottega.games.artificium.state import MOST_SEATS, TABLE

GAME = Game(
    name="artificium",
    title="Artificium",
    summary="Plan a chain of workshops, from wood and wheat to swords and potions, in four turns.",
    designer="Timofey Shargorodskiy",
    publisher="Lifestyle Boardgames",
    minutes=40,
    seats=(2, MOST_SEATS),
    options=(),
    rules_version=2,
    actions=ACTIONS,
    observation=sight.OBSERVATION,
    table=TABLE,
    folder=Path(__file__).parent,
    rules=rules,
    sight=sight,
    sense=sense,
    words=words,
    make_kit=make_kit,
)
