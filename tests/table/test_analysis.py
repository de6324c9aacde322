"""After the game: the decisions that lost the most, found in the background and kept."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

import bottega
from bottega.engine.match import Match
from bottega.table import analysis
from bottega.table.analysis import LOSS, MOST, OF_PEOPLE, Point, study, worst
from tests.table.conftest import QUICK
from tests.table.guests import Guest, finish
from tests.table.test_live import wait_for


@pytest.fixture
def settings() -> dict[str, Any]:
    return {**QUICK, "study": 4.0}


def careless(name: str, seed: int = 4) -> Match:
    """A game in which the first seat decides at random and the others take care."""
    game = bottega.game(name)
    match = game.new(min(2, game.seats[1]), seed=seed, limit=60)
    bot = bottega.bot("greedy")
    chance = random.Random(seed)
    while not match.over:
        seat = match.waiting[0]
        choice = chance.choice(match.legal_numbers(seat)) if seat == 0 else bot.choose(match, seat)
        match.play(seat, choice)
    return match


@pytest.mark.parametrize("name", bottega.games())
def test_turning_points_are_decisions_with_a_better_choice(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "ITERATIONS", 300)  # however busy the machine is
    match = careless(name)
    told: list[int] = []
    points = study(match, [0], 600.0, threading.Event(), told.append)
    assert points is not None
    assert 1 <= len(points) <= MOST
    assert [point.at for point in points] == sorted({point.at for point in points})
    assert any(point.seat == 0 for point in points), "who plays at random loses much"
    for point in points:
        then = match.at(point.at)
        texts = {action.text for action in then.legal(point.seat)}
        assert match.moves[point.at].seat == point.seat
        assert {point.played, point.better} <= texts
        assert point.played != point.better or point.then
        assert LOSS <= point.loss <= 1
    assert told == sorted(told)
    assert all(0 <= percent < 100 for percent in told)


def test_a_study_can_be_stopped() -> None:
    stop = threading.Event()

    def tell(percent: int) -> None:
        assert not stop.is_set(), "it went on"
        stop.set()

    assert study(careless("splendor"), [0], 60.0, stop, tell) is None


def test_places_are_kept_for_people() -> None:
    def point(at: int, seat: int, loss: float) -> Point:
        return Point(at, seat, "this", 0.5 - loss, "that", [], 0.5, [])

    points = [point(at, 1, 0.4) for at in range(9)] + [point(9 + at, 0, 0.1) for at in range(9)]
    shown = worst(points, [0])
    assert len(shown) == MOST
    assert sum(one.seat == 0 for one in shown) == OF_PEOPLE
    assert {one.seat for one in worst(points, [])} == {1}


def test_the_end_marks_the_turning_points_and_keeps_them(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = ada.create(mode="hotseat", seat=0, names=["Ada", "Bruno"])
    ada.page(url)
    assert ada.table(url).study is None, "nothing is studied while the game runs"
    finish(ada, url)
    assert "Looking for the turning points" in ada.page(url)
    begun = ada.seq(url)
    wait_for(lambda: ada.table(url).study.points is not None, 30)  # type: ignore[union-attr]
    assert ada.seq(url) > begun, "pages are told"
    points = ada.table(url).study.points  # type: ignore[union-attr]
    assert points
    page = ada.page(url)
    assert page.count('class="mark ') == len(points)
    for point in points:
        assert f'{url}/replay?at={point.at}&amp;by={point.seat}"' in page
        assert "Better:" in ada.page(f"{url}/replay?at={point.at}")
    assert "Better:" not in ada.page(f"{url}/replay?at={points[0].at + 1}") or len(points) > 1

    monkeypatch.setattr(analysis, "study", lambda *_: pytest.fail("studied twice"))
    ada.hall.tables.clear()
    ada.page(url)
    wait_for(lambda: ada.table(url).study.points is not None, 30)  # type: ignore[union-attr]
    assert ada.table(url).study.points == points  # type: ignore[union-attr]
