"""Hints: legal, honest, in words."""

from __future__ import annotations

import pytest

import bottega
from bottega.engine.game import Game
from bottega.table.advice import SHOWN, hints
from tests.games.properties import random_play, twin
from tests.table.guests import Guest

GAMES = [bottega.game(name) for name in bottega.games()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_hint_is_legal_and_the_same_in_twin_worlds(game: Game) -> None:
    match = game.new(seed=3)
    for _ in zip(random_play(match, 3), range(12), strict=False):
        pass
    seat = match.waiting[0]
    advice = hints(match, seat)
    keys = [action.key for action in match.legal(seat)]
    assert 1 <= len(advice) <= SHOWN
    assert all(hint["key"] in keys and hint["reason"].endswith(".") for hint in advice)
    assert advice[0]["best"]
    assert advice == hints(twin(match, seat, 1), seat) == hints(twin(match, seat, 2), seat)


def test_who_has_nothing_to_decide_gets_no_hint(ada: Guest) -> None:
    match = bottega.game("splendor").new(2, seed=3)
    assert hints(match, 1) == []
    url = ada.create(mode="watch", bot="random")
    assert "nothing for you to decide" in ada.page(f"{url}/hint")


def test_a_forced_decision_says_so() -> None:
    for seed in range(50):
        match = bottega.game("splendor").new(2, seed=seed)
        for _ in random_play(match, seed):
            if not match.over and len(match.legal_numbers(match.waiting[0])) == 1:
                (hint,) = hints(match, match.waiting[0])
                assert hint["reason"] == "It is the only thing you can do."
                return
    raise AssertionError("no game ever forced anybody")
