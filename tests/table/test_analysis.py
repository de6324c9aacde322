"""After the game: everybody's chances, and the decisions that mattered, found in the background."""

from __future__ import annotations

import random
import re
import threading
from typing import Any

import pytest

import bottega
from bottega.bots.judgement import Judgement
from bottega.engine.match import Match
from bottega.table.playing.findings import Point, curve
from bottega.table.thinking import thinkers
from bottega.table.thinking.analysis import (
    GOOD,
    LEAST,
    LOST,
    MOST,
    OF_PEOPLE,
    foremost,
    study,
)
from bottega.table.thinking.hints import hints
from bottega.table.web.render import MARK, free_height
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
def test_decisions_that_mattered(name: str) -> None:
    match = careless(name)
    told: list[int] = []
    findings = study(match, [0], 600.0, threading.Event(), told.append)
    assert findings is not None
    points = findings.points
    assert [point.at for point in points] == sorted({point.at for point in points})
    assert any(point.seat == 0 and point.kind == LOST for point in points), "play at random loses"
    for point in points:
        then = match.at(point.at)
        texts = {action.text for action in then.legal(point.seat)}
        assert match.moves[point.at].seat == point.seat
        assert {point.played, point.other} <= texts
        assert LEAST <= point.size <= 1
        better = point.chance < point.instead
        assert better == (point.kind == LOST)
    assert sum(point.kind == LOST for point in points) <= MOST[LOST]
    assert sum(point.kind == GOOD for point in points) <= MOST[GOOD]
    assert told == sorted(told)
    assert all(0 <= percent < 100 for percent in told)


def test_good_decisions_are_shown_too() -> None:
    kinds = set()
    for seed in range(2):
        match = bottega.game("one-card-wonder").new(2, seed=seed, limit=60)
        bot = bottega.bot("greedy", seed=seed)
        while not match.over:
            match.play(match.waiting[0], bot.choose(match, match.waiting[0]))
        findings = study(match, [0], 600.0, threading.Event(), lambda _: None)
        assert findings is not None
        kinds |= {point.kind for point in findings.points}
    assert GOOD in kinds


def test_hint_graph_and_what_is_said_after_the_game_are_one_judgement() -> None:
    """The same position showed different numbers."""
    match = careless("splendor")
    findings = study(match, [0], 600.0, threading.Event(), lambda _: None)
    assert findings is not None
    rows = curve(match, findings)
    assert len(rows) == len(match.moves) + 1
    for at, seat, chance in findings.judged:
        assert rows[at][seat] == chance
    for point in findings.points:
        then = match.at(point.at)
        best = hints(then, point.seat)[0]
        shown = point.instead if point.kind == LOST else point.chance
        assert best["chance"] == shown == rows[point.at][point.seat]
        assert Judgement(then, point.seat).chance == shown
    assert rows[-1] == [float(seat in match.winners) for seat in range(2)] or not match.winners


def test_a_study_can_be_stopped() -> None:
    stop = threading.Event()

    def tell(percent: int) -> None:
        assert not stop.is_set(), "it went on"
        stop.set()

    assert study(careless("splendor"), [0], 60.0, stop, tell) is None


def test_places_are_kept_for_people() -> None:
    def point(at: int, seat: int, loss: float) -> Point:
        return Point(LOST, at, seat, "this", 0.5 - loss, "that", [], 0.5, [])

    points = [point(at, 1, 0.4) for at in range(9)] + [point(9 + at, 0, 0.1) for at in range(9)]
    shown = foremost(points, LOST, [0])
    assert len(shown) == MOST[LOST]
    assert sum(one.seat == 0 for one in shown) == OF_PEOPLE
    assert {one.seat for one in foremost(points, LOST, [])} == {1}
    assert foremost(points, GOOD, [0]) == []


def test_the_end_marks_what_mattered_and_keeps_it(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = ada.create(mode="hotseat", seat=0, names=["Ada", "Bruno"])
    ada.page(url)
    assert ada.table(url).study is None, "nothing is studied while the game runs"
    finish(ada, url)
    assert "Looking through the game" in ada.page(url)
    begun = ada.seq(url)
    wait_for(lambda: ada.table(url).study.findings is not None, 30)  # type: ignore[union-attr]
    assert ada.seq(url) != begun, "pages are told"
    findings = ada.table(url).study.findings  # type: ignore[union-attr]
    assert findings is not None
    assert findings.points
    page = ada.page(url)
    assert page.count('class="mark ') == len(findings.points)
    assert "Decisions that mattered" in page
    for point in findings.points:
        assert f'{url}/replay?at={point.at}&amp;by={point.seat}"' in page
        moment = ada.page(f"{url}/replay?at={point.at}")
        assert ("Better:" if point.kind == LOST else "Next best:") in moment
        percent = round(100 * max(point.chance, point.instead))
        assert f"About {percent} in 100" in moment
        shown = re.findall(r'<b class="num">(\d+)%</b>', moment)
        assert int(shown[point.seat]) == percent, "the graph says the same"

    monkeypatch.setattr(thinkers, "study", lambda *_: pytest.fail("studied twice"))
    ada.tables.known.clear()
    ada.page(url)
    wait_for(lambda: ada.table(url).study.findings is not None, 30)  # type: ignore[union-attr]
    assert ada.table(url).study.findings == findings  # type: ignore[union-attr]


def test_marks_of_the_graph_cover_none_another() -> None:
    """Decisions that follow each other closely could not be clicked."""
    placed: list[tuple[float, float]] = []
    for x, y in [(50, 60), (52, 60), (54, 61), (56, 20), (57, 100), (250, 60)]:
        placed.append((x, free_height(x, y, placed, 120)))
    for at, (x, y) in enumerate(placed):
        assert MARK / 2 <= y <= 120 - MARK / 2
        assert all(abs(x - u) >= MARK or abs(y - v) >= MARK for u, v in placed[:at])
    assert placed[0] == (50, 60)
    assert placed[-1] == (250, 60), "whoever is alone stays where the curve is"
