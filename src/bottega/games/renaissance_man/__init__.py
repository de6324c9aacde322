"""Renaissance Man, for 1 to 4 players."""

from __future__ import annotations

from pathlib import Path

from bottega.engine.game import Game
from bottega.engine.option import Option
from bottega.games.renaissance_man import rules, sense, sight, words
from bottega.games.renaissance_man.components import make_kit
from bottega.games.renaissance_man.state import MOST_SEATS, TABLE

GAME = Game(
    name="renaissance-man",
    title="Renaissance Man",
    summary="Train, hire and recruit workers, each one standing on two others, up to a Master.",
    designer="Anthony Rubbo",
    publisher="Rio Grande Games",
    minutes=30,
    seats=(1, MOST_SEATS),
    options=(
        Option(
            "easier",
            "so many discards become a new deck when it first runs out",
            numbers=range(41),
            alone=True,
        ),
        Option(
            "tougher",
            "so many cards leave the deck unseen before the start",
            numbers=range(41),
            alone=True,
        ),
    ),
    rules_version=2,
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
