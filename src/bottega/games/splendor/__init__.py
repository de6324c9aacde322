"""Splendor, for 2 to 4 players."""

from __future__ import annotations

from pathlib import Path

from bottega.engine.game import Game
from bottega.engine.option import Option
from bottega.games.splendor import rules, sense, sight, words
from bottega.games.splendor.components import make_kit
from bottega.games.splendor.state import MOST_SEATS, TABLE

GAME = Game(
    name="splendor",
    title="Splendor",
    summary="Gather gems, buy cards that make the next ones cheaper, and impress the nobles.",
    designer="Marc André",
    publisher="Space Cowboys",
    minutes=30,
    seats=(2, MOST_SEATS),
    options=(
        Option(
            "payment",
            "pay gems first, or choose where to use gold",
            ("auto", "choice"),
            default="auto",
        ),
    ),
    rules_version=1,
    actions=rules.ACTIONS,
    observation=sight.OBSERVATION,
    table=TABLE,
    folder=Path(__file__).parent,
    rules=rules,
    sight=sight,
    sense=sense,
    words=words,
    make_kit=make_kit,
)
