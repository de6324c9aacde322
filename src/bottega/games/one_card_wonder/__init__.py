"""One Card Wonder, for 2 to 6 players, with the Leaders expansion as an option."""

from __future__ import annotations

from pathlib import Path

from bottega.engine.game import Game
from bottega.engine.option import Option
from bottega.games.one_card_wonder import rules, sense, sight, words
from bottega.games.one_card_wonder.actions import ACTIONS
from bottega.games.one_card_wonder.components import make_kit
from bottega.games.one_card_wonder.state import MOST_SEATS, TABLE

GAME = Game(
    name="one-card-wonder",
    title="One Card Wonder",
    summary="Gather resources, raise buildings that help, and be the first to finish your wonder.",
    designer="Nat Levan",
    publisher="APE Games",
    minutes=30,
    seats=(2, MOST_SEATS),
    options=(
        Option(
            "draft",
            "pick wonders and mats, or get them at random",
            ("pick", "random"),
            default="pick",
        ),
        Option(
            "complexity",
            "wonders of all kinds, or of one complexity only; I for a first game",
            ("all", "I", "II", "III"),
            default="all",
        ),
        Option("leaders", "with the Leaders expansion", ("off", "on"), default="off"),
    ),
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
