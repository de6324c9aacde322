"""Hints: legal, honest, in words."""

from __future__ import annotations

import re

import pytest

import bottega
from bottega.engine.game import Game
from bottega.table.thinking.hints import SHOWN, hints
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
    assert all(0 <= hint["chance"] <= 1 and hint["text"] for hint in advice)
    assert len(advice) == min(SHOWN, len(keys))
    assert advice[0]["best"]
    assert advice == hints(twin(match, seat, 1), seat) == hints(twin(match, seat, 2), seat)


def test_who_has_nothing_to_decide_gets_no_hint(ada: Guest) -> None:
    match = bottega.game("splendor").new(2, seed=3)
    assert hints(match, 1) == []
    url = ada.create(mode="watch", bot="random")
    assert "nothing for you to decide" in ada.page(f"{url}/hint")


def test_a_hint_can_be_played_from_its_own_page(ada: Guest) -> None:
    """Without script the hint is a page whose choices are buttons."""
    url = ada.create(mode="bots", seat=0, bot="random")
    page = ada.page(f"{url}/hint")
    keys = re.findall(r'name="action" value="([^"]+)"', page)
    assert len(keys) == SHOWN
    assert page.count("in 100 to win") == SHOWN
    seq = re.search(r'name="seq" value="(\d+)"', page)
    assert seq
    assert ada.choose(url, keys[1], seq=seq[1]).status_code == 200
    assert ada.match(url).moves[0].key == keys[1]


def test_a_forced_decision_says_so() -> None:
    for seed in range(50):
        match = bottega.game("splendor").new(2, seed=seed)
        for _ in random_play(match, seed):
            if not match.over and len(match.legal_numbers(match.waiting[0])) == 1:
                (hint,) = hints(match, match.waiting[0])
                assert hint["reason"] == "It is the only thing you can do."
                return
    raise AssertionError("no game ever forced anybody")
