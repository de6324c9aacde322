"""Nobody waits for the compiler: a game is interpreted until another process has compiled it."""

from __future__ import annotations

import pytest

import bottega
from bottega import warm
from bottega.bots import loops, waking
from bottega.bots.greedy import GreedyBot
from bottega.bots.search import SearchBot
from bottega.cli import main
from bottega.engine.compile import Entry
from bottega.engine.elsewhere import FIRST, compiler
from bottega.table.playing import levels
from bottega.table.playing.tables import Tables
from bottega.table.thinking import hints
from tests.table.conftest import QUICK


@pytest.fixture
def asleep(monkeypatch):
    """Nothing is compiled, as far as bots know."""
    monkeypatch.setattr(Entry, "at_hand", False)


def test_everything_is_compiled_by_one_command(capfd):
    assert main(["warm", "splendor"]) == 0
    assert warm.at_hand(bottega.game("splendor"))


def test_what_was_not_compiled_is_named(capfd):
    with pytest.raises(bottega.BottegaError, match="not compiled: chess bots"):
        warm.everything(["chess"], 1)


def test_what_somebody_comes_to_goes_first():
    wishes = warm.Wishes()
    for line in ("splendor bots", "splendor engine", "artificium bots", "artificium engine"):
        wishes.add(line)
    wishes.add(f"artificium bots {FIRST}")
    wishes.add(f"artificium engine {FIRST}")
    order = []
    while wishes._wishes:
        wish = wishes.first()
        wishes.remove(wish)
        order.append(f"{wish.game} {wish.part}")
    assert order == ["artificium bots", "artificium engine", "splendor bots", "splendor engine"]


@pytest.mark.parametrize("name", bottega.games())
def test_until_it_is_awake_a_bot_plays_like_greedy(name, asleep):
    game = bottega.game(name)
    match = game.new(game.seats[1], seed=3)
    seat = match.waiting[0]
    bot = SearchBot(7, level=5)
    assert not waking.awake(bot, match)
    hurried = GreedyBot(7, loops.HURRIED).choose(match, seat)
    assert waking.for_now(bot, match).choose(match, seat) == hurried


def test_a_bot_that_is_awake_plays_itself(monkeypatch):
    monkeypatch.setattr(Entry, "at_hand", True)
    match = bottega.game("splendor").new(2, seed=3)
    bot = SearchBot(7, level=5)
    assert waking.awake(bot, match)
    assert waking.for_now(bot, match) is bot


def test_a_hint_at_first_sight_says_so(asleep):
    match = bottega.game("splendor").new(2, seed=3)
    (hint,) = hints.hints(match, 0)
    assert "still waking up" in hint["reason"]
    assert hint["key"] in {action.key for action in match.legal(0)}


@pytest.mark.parametrize("settings", [{**QUICK, "pause": 30}])
def test_the_page_says_that_a_bot_is_waking_up_until_it_is_awake(ada, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(waking, "awake", lambda *_: False)
        url = ada.create(bot="search-5")
        assert "Maestro is still waking up" in ada.page(url)
        api = ada.get(f"/api/v1{url.replace('/t/', '/tables/')}").text
    monkeypatch.setattr(waking, "awake", lambda *_: True)
    ada.run(look_again, ada.tables, "splendor")
    assert "still waking up" not in ada.page(url)
    assert "waking" not in api  # how programs see a table has not changed


async def look_again(tables: Tables, name: str) -> None:
    tables._look_again(name)


def test_pages_hear_that_a_bot_is_awake(ada, monkeypatch):
    table = ada.table(ada.create(bot="random"))
    heard = []
    monkeypatch.setattr(table, "changed", lambda **what: heard.append(what))
    ada.run(look_again, ada.tables, "artificium")
    assert heard == []
    ada.run(look_again, ada.tables, "splendor")
    assert heard == [{"board": False}]


def test_a_server_wants_what_somebody_comes_to(ada, monkeypatch):
    wanted = []
    monkeypatch.setattr(warm, "at_hand", lambda _: False)
    monkeypatch.setattr(
        compiler, "want", lambda code, part, first=False: wanted.append((code.game, part, first))
    )
    ada.create(game="one-card-wonder")
    assert wanted == [("one-card-wonder", "bots", True), ("one-card-wonder", "engine", True)]


def test_every_level_has_something_to_play_until_then(asleep):
    match = bottega.game("artificium").new(2, seed=1)
    seat = match.waiting[0]
    for level in levels.KNOWN:
        bot = levels.player(level.name, 1)
        assert waking.for_now(bot, match).choose(match, seat) in match.legal(seat)
